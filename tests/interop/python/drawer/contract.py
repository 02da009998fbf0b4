"""The words of the contract that every call needs: features, failures with a reason, keys, digests and fingerprints."""

import hashlib
import re
import struct
import unicodedata

import grpc

REQUIRED = ("schema.inspect", "schema.render", "units.execute", "sql.analyze")

# Each feature of this provider with the calls that it gates.
GATES = {
    "schema.inspect": ("Inspect",),
    "schema.render": ("Render",),
    "schema.plan": ("Plan",),
    "units.execute": ("Execute",),
    "sql.analyze": ("AnalyzeSql",),
    "sessions.transactions": ("BeginTransaction", "CommitTransaction", "RollbackTransaction"),
    "sessions.locks": ("TryLock", "CheckLock", "ReleaseLock"),
    "sessions.claims": ("Claim", "ReadClaims", "AdoptDatabase", "ForgetRecords"),
    "sessions.query": ("QueryRows",),
    "dev.provision": ("ProvisionDev",),
}

# Features that change a message which exists anyway: used only when the host lists them too.
REASONS = "errors.reasons"
DEFAULT_CAPABILITIES = "engine.default-capabilities"
TWO_WAY = (REASONS, DEFAULT_CAPABILITIES)

FEATURES = tuple(GATES) + TWO_WAY

LOCK_WAIT_LIMIT_MS = 20_000
UNITS_LIMIT = 1_000
# Streams are cut into parts of about this many bytes.
PART_BYTES = 256 * 1024

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Failure(Exception):
    """A call that fails. The reason is our own sentence: never a text that we received, never a value or an address."""

    def __init__(self, code, reason):
        super().__init__(reason)
        self.code = code
        self.reason = checked_reason(reason)


def invalid(reason):
    return Failure(grpc.StatusCode.INVALID_ARGUMENT, reason)


def precondition(reason):
    return Failure(grpc.StatusCode.FAILED_PRECONDITION, reason)


def not_found(reason):
    return Failure(grpc.StatusCode.NOT_FOUND, reason)


def checked_reason(text):
    """A reason is one line of 1 to 512 bytes, without control characters and without white space around it."""
    line = not any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for c in text)
    if line and text == text.strip() and 1 <= len(text.encode()) <= 512:
        return text
    return "the provider's reason is malformed and not shown"


def check_id(text, field):
    """An ID that one side makes and the other repeats."""
    if not _ID.fullmatch(text):
        raise invalid(f"the request breaks the contract: {field} has 1 to 64 letters, digits, `-` or `_`")
    return text


def check_key(key):
    """Which request a receipt answers; the receipt repeats it byte for byte."""
    check_id(key.session_id, "key.session_id")
    check_id(key.request_id, "key.request_id")
    scope = key.scope
    if not 1 <= len(scope.encode()) <= 255 or any(unicodedata.category(c) == "Cc" for c in scope):
        raise invalid("the request breaks the contract: key.scope has 1 to 255 bytes and no control character")


def check_wait(milliseconds):
    if milliseconds > LOCK_WAIT_LIMIT_MS:
        raise invalid(f"a call waits at most {LOCK_WAIT_LIMIT_MS} ms, and {milliseconds} ms were asked for")
    return milliseconds / 1000


class Digest:
    """SHA-256 over fields, each with its length in front, so that neighbours cannot trade bytes."""

    def __init__(self, domain):
        self._hash = hashlib.sha256()
        self.text(domain)

    def bytes(self, field):
        self._hash.update(struct.pack(">Q", len(field)))
        self._hash.update(field)
        return self

    def text(self, field):
        return self.bytes(field.encode())

    def number(self, value):
        return self.bytes(struct.pack(">Q", value))

    def optional(self, field):
        return self.number(0) if field is None else self.number(1).text(field)

    def raw(self):
        return self._hash.digest()

    def __str__(self):
        return "sha256:" + self._hash.hexdigest()


def fingerprint(objects):
    """The fingerprint of a reading: host and provider compute it over the same bytes.

    It covers identities, members in their order, and the canonical form of every facet; never a spelling.
    """
    whole = Digest("ptah.schema.v1").number(len(objects))
    for found in objects:
        one = Digest("ptah.object.v1").text(found.id.kind).optional(None).optional(None).text(found.id.name.source)
        _facets(one, found.facets).number(len(found.members))
        for member in found.members:
            _facets(one.text(member.kind).text(member.name), member.facets)
        whole.bytes(one.raw())
    return str(whole.number(0))


def _facets(digest, facets):
    digest.number(len(facets))
    for facet in facets:
        digest.text(facet.name).text(facet.canonical if facet.HasField("canonical") else facet.text)
    return digest
