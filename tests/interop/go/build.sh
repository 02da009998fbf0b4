#!/usr/bin/env bash
# Builds the Go plugin and the Go host on two versions of go-plugin: `build.sh FOLDER PYTHON`. PYTHON has grpc_tools, which
# brings protoc. In FOLDER there are then `plugin-1.5.2`, `plugin-1.8.0`, `host-1.5.2` and `host-1.8.0`.
#
# The code for the messages is made on the way and kept nowhere. go.mod pins its generators; go-1.5.2.mod is the same with
# the older go-plugin.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
proto=$here/../../../proto
folder=$1
protoc=("$2" -m grpc_tools.protoc)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
export GOFLAGS="${GOFLAGS:-} -trimpath" CGO_ENABLED=0

# A copy, so that generated code does not lie among the sources.
module=$folder/module
mkdir -p "$module"
cp -r "$here"/* "$module"
cd "$module"
go build -o "$folder/bin/" google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc

package=ptah.run/interop/contract
maps=()
for file in "$proto"/ptah/provider/v1/*.proto; do
  maps+=("--go_opt=Mptah/provider/v1/$(basename "$file")=$package")
  maps+=("--go-grpc_opt=Mptah/provider/v1/$(basename "$file")=$package")
done
mkdir -p contract
PATH="$folder/bin:$PATH" "${protoc[@]}" --proto_path="$proto" "${maps[@]}" \
  --go_out=contract --go_opt=module="$package" --go-grpc_out=contract --go-grpc_opt=module="$package" \
  "$proto"/ptah/provider/v1/*.proto

go vet ./plugin ./host ./shared
for version in 1.5.2 1.8.0; do
  file=go.mod
  if [ "$version" != 1.8.0 ]; then file=go-$version.mod; fi
  go build -modfile="$file" -o "$folder/plugin-$version" ./plugin
  go build -modfile="$file" -o "$folder/host-$version" ./host
done
