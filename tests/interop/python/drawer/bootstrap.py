"""The go-plugin bootstrap: how a host starts this process, and how the process ends.

The host gives the process a cookie, its own certificate and a private folder, all in the environment. The process makes a
certificate of its own, listens on a socket in that folder, and prints one line that says where, with the certificate in it.
From then on both sides accept exactly the other one's certificate and nothing else.
"""

import base64
import datetime
import os
import resource
import signal
import ssl
import sys
import threading
import time
from concurrent import futures

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

import grpc_broker_pb2_grpc
import grpc_controller_pb2
import grpc_controller_pb2_grpc
import grpc_stdio_pb2_grpc
import health_pb2
import health_pb2_grpc

# Says that a host started the process, and not a person. It is no secret.
COOKIE = ("PTAH_PROVIDER_COOKIE", "09065f2a2c73c4d27a12fd27b52acddb4e797aaf572707eba00da794ddf405e1")
PARENT = "PTAH_PROVIDER_PARENT_PID"
CORE_PROTOCOL = 1
CONTRACT_MAJOR = 1
MESSAGE_LIMIT = 4 * 1024 * 1024
# Calls that wait (for a writer, for the end) each keep a thread, so there are more of them than sessions.
THREADS = 64


def serve(add_services):
    """Serves until the host asks for the end. `add_services(server, guard)` adds the product's own service.

    The guard is called with the context of each call, and ends a call that did not come from the host.
    """
    if os.environ.get(COOKIE[0]) != COOKIE[1]:
        print("This is a provider. It is started by ptah and is of no use in a shell.", file=sys.stderr)
        return 1
    refusal = _refused_environment()
    if refusal:
        print(refusal, file=sys.stderr)
        return 1
    _behave()
    host_pem = os.environ["PLUGIN_CLIENT_CERT"]
    key_pem, own_pem, own_der = _make_certificate()

    ending = threading.Event()
    guard = _only(host_pem)
    server = grpc.server(
        futures.ThreadPoolExecutor(THREADS),
        options=[("grpc.max_receive_message_length", MESSAGE_LIMIT), ("grpc.max_send_message_length", MESSAGE_LIMIT)],
    )
    grpc_controller_pb2_grpc.add_GRPCControllerServicer_to_server(_Controller(ending, guard), server)
    grpc_stdio_pb2_grpc.add_GRPCStdioServicer_to_server(_Stdio(ending, guard), server)
    grpc_broker_pb2_grpc.add_GRPCBrokerServicer_to_server(_Broker(ending, guard), server)
    health_pb2_grpc.add_HealthServicer_to_server(_Health(ending, guard), server)
    add_services(server, guard)

    socket = os.path.join(os.environ["PLUGIN_UNIX_SOCKET_DIR"], "drawer.sock")
    credentials = grpc.ssl_server_credentials(
        [(key_pem, own_pem)], root_certificates=host_pem.encode(), require_client_auth=True
    )
    if server.add_secure_port("unix:" + socket, credentials) == 0:
        print("the socket could not be made", file=sys.stderr)
        return 1
    server.start()
    _say_where(socket, own_der)
    ending.wait()
    # Streams that wait for the end are over; calls that still run have a second.
    server.stop(1).wait()
    return 0


def _refused_environment():
    """Why the process cannot be served as it was started; None when it can."""
    versions = os.environ.get("PLUGIN_PROTOCOL_VERSIONS", "").split(",")
    if str(CONTRACT_MAJOR) not in versions:
        return f"this provider speaks version {CONTRACT_MAJOR} of the contract, and the host does not"
    # Without the host's certificate anybody could connect, so nothing is served.
    for name in ("PLUGIN_CLIENT_CERT", "PLUGIN_UNIX_SOCKET_DIR"):
        if not os.environ.get(name):
            return f"the host gave no {name}"
    return None


def _behave():
    """What a well-behaved provider does before anything else."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # A dump would hold addresses with credentials.
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the host's to act on.
    parent = os.environ.get(PARENT)
    if parent:
        threading.Thread(target=_watch, args=(int(parent),), daemon=True).start()


def _watch(parent):
    """A provider never outlives its host, however that ended."""
    while os.getppid() == parent:
        time.sleep(0.25)
    os._exit(1)


def _make_certificate():
    """A key and a certificate for this start alone: (key as PEM, certificate as PEM, certificate as DER)."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    # Compared byte for byte and as old as the process: a clock that is set wrong must not stop a start.
    begin, end = datetime.datetime(2000, 1, 1), datetime.datetime(2099, 1, 1)
    usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(end)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        .sign(key, hashes.SHA256())
    )
    key_pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    encoding = serialization.Encoding
    return key_pem, certificate.public_bytes(encoding.PEM), certificate.public_bytes(encoding.DER)


def _only(host_pem):
    """A guard that lets the host's own certificate through and no other, not even one that it signed."""
    expected = ssl.PEM_cert_to_DER_cert(host_pem)

    def guard(context):
        shown = context.auth_context().get("x509_pem_cert", [])
        if len(shown) != 1 or ssl.PEM_cert_to_DER_cert(shown[0].decode()) != expected:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "")

    return guard


def _say_where(socket, certificate):
    """The one line on standard output. What follows on it is nobody's, so it is closed to us."""
    encoded = base64.b64encode(certificate).decode().rstrip("=")
    fields = [str(CORE_PROTOCOL), str(CONTRACT_MAJOR), "unix", socket, "grpc", encoded]
    if os.environ.get("PLUGIN_MULTIPLEX_GRPC"):
        fields.append("false")
    print("|".join(fields), flush=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Controller(grpc_controller_pb2_grpc.GRPCControllerServicer):
    """The end, asked for by the host."""

    def __init__(self, ending, guard):
        self._ending, self._guard = ending, guard

    def Shutdown(self, request, context):
        self._guard(context)
        self._ending.set()
        return grpc_controller_pb2.Empty()


class _Stdio(grpc_stdio_pb2_grpc.GRPCStdioServicer):
    """A stream of what the provider prints. It prints nothing, so the stream stays open and silent."""

    def __init__(self, ending, guard):
        self._ending, self._guard = ending, guard

    def StreamStdio(self, request, context):
        self._guard(context)
        self._ending.wait()
        return iter(())


class _Broker(grpc_broker_pb2_grpc.GRPCBrokerServicer):
    """Further connections between both sides. None is made."""

    def __init__(self, ending, guard):
        self._ending, self._guard = ending, guard

    def StartStream(self, request_iterator, context):
        self._guard(context)
        self._ending.wait()
        return iter(())


class _Health(health_pb2_grpc.HealthServicer):
    """Whether the provider serves. It does for as long as it answers."""

    def __init__(self, ending, guard):
        self._ending, self._guard = ending, guard

    def Check(self, request, context):
        self._guard(context)
        if request.service not in ("", "plugin"):
            context.abort(grpc.StatusCode.NOT_FOUND, "")
        return health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING)

    def Watch(self, request, context):
        yield self.Check(request, context)
        self._ending.wait()
