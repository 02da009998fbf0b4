"""Starts the provider. Only a host does that; a person in a shell is told so."""

import sys

from drawer import bootstrap, service

sys.exit(bootstrap.serve(service.add_to))
