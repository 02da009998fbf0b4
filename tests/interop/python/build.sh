#!/usr/bin/env bash
# Builds the Python provider into one executable file: `build.sh FOLDER`. In FOLDER there are then a virtual environment and
# `ptah-provider-drawer`, a Python zip application whose first line names that environment's interpreter.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
proto=$here/../../../proto
folder=$1
python=${PYTHON:-python3}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# The packages, once for each version of the list.
if ! cmp -s "$here/requirements.txt" "$folder/venv/requirements.txt"; then
  rm -rf "$folder/venv"
  "$python" -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" "$folder/venv/requirements.txt"
fi
python=$folder/venv/bin/python

# The code for the messages, from the files of the contract and of the bootstrap.
app=$folder/app
rm -rf "$app"
mkdir -p "$app"
"$python" -m grpc_tools.protoc --proto_path="$proto" --python_out="$app" --grpc_python_out="$app" \
  google/rpc/status.proto ptah/provider/v1/{claim,common,describe,execute,plan,provider,schema,session,sql}.proto
"$python" -m grpc_tools.protoc --proto_path="$proto/go-plugin" --python_out="$app" --grpc_python_out="$app" \
  grpc_broker.proto grpc_controller.proto grpc_stdio.proto health.proto

# One file: our code, the code for the messages, and the way in.
cp -r "$here/drawer" "$app/drawer"
rm -rf "$app/drawer/__pycache__"
mv "$app/drawer/__main__.py" "$app/__main__.py"
"$python" -m zipapp --python "$python" --compress --output "$folder/ptah-provider-drawer" "$app"
