"""The calls of the contract: each checked, given to its session, and its reply made."""

import copy
import functools
import os
import threading
import traceback

import grpc

from google.rpc import status_pb2
from ptah.provider.v1 import common_pb2, describe_pb2, execute_pb2, provider_pb2, provider_pb2_grpc, schema_pb2
from ptah.provider.v1 import session_pb2, sql_pb2

from drawer import claims, contract, language
from drawer.contract import Failure, check_id, check_key, check_wait, invalid, not_found, precondition
from drawer.planning import COLUMN, TABLE, column_id, plan, table_id
from drawer.session import Session, random_id
from drawer.store import File, Memory

ENGINE = "drawer"
SCHEME = "drawer://"
SERVER_VERSION = "1"
SESSIONS_LIMIT = 256


def add_to(server, guard):
    provider_pb2_grpc.add_ProviderServicer_to_server(Provider(guard), server)


def call(method):
    """A call: only from the host, and only after Describe. What fails is a code, and a reason if that was negotiated."""

    def fail(self, context, failure):
        if self._reasons:
            status = status_pb2.Status(code=failure.code.value[0])
            status.details.add().Pack(provider_pb2.Reason(text=failure.reason))
            context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        # Never a message: it would be shown to nobody, and tells a log more than it should.
        context.abort(failure.code, "")

    @functools.wraps(method)
    def wrapper(self, request, context):
        self._guard(context)
        try:
            if method.__name__ != "Describe" and self._described is None:
                raise precondition("nothing is negotiated: Describe comes first")
            return method(self, request)
        except Failure as failure:
            fail(self, context, failure)
        except Exception:  # A fault of ours. The process goes on, and the host hears only that.
            traceback.print_exc()
            reason = "the provider failed unexpectedly while it served the call"
            fail(self, context, Failure(grpc.StatusCode.INTERNAL, reason))

    return wrapper


class Provider(provider_pb2_grpc.ProviderServicer):
    """One for a process, which has one host."""

    def __init__(self, guard):
        self._guard = guard
        self._described = None
        self._reasons = False
        self._sessions = {}
        self._scratch = {}
        self._mutex = threading.Lock()

    # Negotiation ------------------------------------------------------------------------------------------------------

    @call
    def Describe(self, request):
        """Settles what both sides use. The same request again gets the same answer, another one is refused."""
        if self._described is None:
            self._reasons = contract.REASONS in request.host_features
        if not request.HasField("contract"):
            raise invalid("the request breaks the contract: DescribeRequest.contract is required")
        if request.contract.major != 1:
            raise precondition("this provider speaks contract 1.0, and the host another major")
        missing = [feature for feature in request.required_features if feature not in contract.FEATURES]
        if missing:
            raise precondition("the host requires a feature that this provider does not have")
        with self._mutex:
            if self._described is None:
                self._described = request
            elif self._described != request:
                raise precondition("another description was negotiated on this connection")
        return _description(set(request.host_features))

    # Sessions ---------------------------------------------------------------------------------------------------------

    @call
    def Open(self, request):
        check_id(request.request_id, "request_id")
        _check_engine(request.engine)
        check_wait(request.lock_timeout_ms)
        purposes = (session_pb2.PURPOSE_READ, session_pb2.PURPOSE_APPLY, session_pb2.PURPOSE_DEV)
        if request.purpose not in purposes:
            raise invalid("the request breaks the contract: OpenRequest.purpose is one that the contract has")
        if request.create and request.purpose != session_pb2.PURPOSE_APPLY:
            raise invalid("the request breaks the contract: OpenRequest.create is only for an apply")
        store = self._store(request)
        if request.create:
            _write(store.create)
        session = Session(store, request.purpose)
        content = store.read()
        with self._mutex:
            if len(self._sessions) >= SESSIONS_LIMIT:
                raise Failure(grpc.StatusCode.RESOURCE_EXHAUSTED, "the provider opens no more sessions")
            self._sessions[session.id] = session
        return session_pb2.Session(
            request_id=request.request_id,
            session_id=session.id,
            engine=request.engine,
            database=store.name(),
            server_version=SERVER_VERSION,
            identifier_rules=_rules(),
            features=_features(set(self._described.host_features)),
            capabilities=[common_pb2.Capability(name="ddl_inside_transaction", established=True)],
            settings_digest=str(contract.Digest("drawer.settings.v1").text(SERVER_VERSION)),
            identity=claims.identity(store, content),
            exists=store.exists(),
        )

    def _store(self, request):
        """What the request leads to. Nothing of an address is ever in a reason."""
        dev = request.purpose == session_pb2.PURPOSE_DEV
        target = request.WhichOneof("target")
        if target == "dev_id":
            if not dev:
                raise precondition("a scratch database is opened as one, and as nothing else")
            if request.dev_id not in self._scratch:
                raise not_found("there is no such scratch database")
            return self._scratch[request.dev_id]
        if target is None:
            raise invalid("the request breaks the contract: OpenRequest.target is required")
        if dev:
            raise invalid("scratch databases of a drawer are in memory, and a file is never used as one")
        if not request.address.startswith(SCHEME) or len(request.address) == len(SCHEME):
            raise invalid("an address of a drawer is `drawer://` and a path")
        path = request.address[len(SCHEME) :]
        if "\0" in path:
            raise invalid("the address has a zero byte")
        if not os.path.isabs(path):
            if not request.HasField("folder"):
                raise invalid("the address has a relative path, and the host did not say where it starts")
            path = os.path.join(request.folder, path)
        return File(path)

    @call
    def Close(self, request):
        """Ends a session, also one that is fenced. One that is not there is ended already."""
        check_id(request.request_id, "request_id")
        with self._mutex:
            session = self._sessions.pop(request.session_id, None)
        if session:
            session.close()
        return session_pb2.CloseReply(request_id=request.request_id)

    def _session(self, session_id):
        with self._mutex:
            session = self._sessions.get(session_id)
        if session is None:
            raise not_found("there is no such session")
        return session

    def _keyed(self, request):
        """The session of a request with a key."""
        if not request.HasField("key"):
            raise invalid("the request breaks the contract: its key is required")
        check_key(request.key)
        return self._session(request.key.session_id)

    def _snapshot(self, reference):
        snapshot = self._session(reference.session_id).snapshots.get(reference.snapshot_id)
        if snapshot is None:
            raise not_found("there is no such reading; it ends with its session")
        return snapshot

    # Reading ----------------------------------------------------------------------------------------------------------

    @call
    def Inspect(self, request):
        session = self._session(request.session_id)
        check_wait(request.lock_timeout_ms)
        with session.turn:
            name, snapshot = session.inspect()
        parts = []
        if not request.fingerprint_only:
            for some in _cut(snapshot.objects):
                parts.append(schema_pb2.InspectPart(objects=schema_pb2.ObjectsChunk(objects=some)))
        end = schema_pb2.InspectEnd(count=len(snapshot.objects), fingerprint=snapshot.fingerprint, snapshot_id=name)
        return iter([*parts, schema_pb2.InspectPart(end=end)])

    @call
    def Render(self, request):
        _check_engine(request.engine)
        snapshot = self._snapshot(request.snapshot)
        made = [schema_pb2.RenderedDefinition(object=i, text=text) for i, text in snapshot.rendering()]
        return iter([schema_pb2.RenderPart(definitions=some) for some in _cut(made)])

    @call
    def AnalyzeSql(self, request):
        _check_engine(request.engine)
        found = _analysis(request.text)
        chunks = {
            "statements": sql_pb2.StatementsChunk,
            "definitions": sql_pb2.DefinitionsChunk,
            "directives": sql_pb2.DirectivesChunk,
            "diagnostics": sql_pb2.DiagnosticsChunk,
        }
        parts = []
        for word, chunk in chunks.items():
            parts.extend(sql_pb2.AnalyzeSqlPart(**{word: chunk(**{word: some})}) for some in _cut(found[word]))
        count = sum(len(entries) for entries in found.values())
        return iter([*parts, sql_pb2.AnalyzeSqlPart(end=sql_pb2.AnalyzeSqlEnd(count=count))])

    @call
    def Plan(self, request):
        _check_engine(request.engine)
        self._snapshot(request.current)
        return plan(request, self._snapshot(request.desired))

    @call
    def QueryRows(self, request):
        session = self._session(request.session_id)
        if not 1 <= request.limit <= 1_000:
            raise invalid("the request breaks the contract: QueryRowsRequest.limit is 1 to 1,000")
        transaction_id = request.transaction_id if request.HasField("transaction_id") else None
        with session.turn:
            number = session.query(request.query, transaction_id)
        row = execute_pb2.Row(cells=[execute_pb2.Cell(value=str(number))])
        return execute_pb2.QueryRowsReply(columns=["count"], rows=[row])

    @call
    def ProvisionDev(self, request):
        check_id(request.request_id, "request_id")
        _check_engine(request.engine)
        if request.HasField("session_id"):
            self._session(request.session_id)
        content = request.WhichOneof("content")
        if content is None:
            raise invalid("the request breaks the contract: ProvisionDevRequest.content is required")
        tables = copy.deepcopy(self._snapshot(request.copy_of).tables) if content == "copy_of" else {}
        dev_id = random_id()
        self._scratch[dev_id] = Memory(tables)
        return session_pb2.DevDatabase(request_id=request.request_id, dev_id=dev_id)

    # Changing ---------------------------------------------------------------------------------------------------------

    @call
    def Execute(self, request):
        session = self._keyed(request)
        if not 1 <= len(request.units) <= contract.UNITS_LIMIT:
            raise invalid("the request breaks the contract: ExecuteRequest.units has 1 to 1,000 units")
        for unit in request.units:
            if unit.WhichOneof("unit") is None or (unit.WhichOneof("unit") == "sql" and not unit.sql.strip()):
                raise invalid("the request breaks the contract: a unit has statements, none of them empty")
        return self._once(session, request, session.execute)

    @call
    def BeginTransaction(self, request):
        session = self._keyed(request)
        wait = check_wait(request.lock_timeout_ms)
        return self._once(session, request, lambda r: session.begin(r, wait))

    @call
    def CommitTransaction(self, request):
        session = self._keyed(request)
        check_wait(request.lock_timeout_ms)
        return self._once(session, request, lambda r: session.end(r, commit=True))

    @call
    def RollbackTransaction(self, request):
        session = self._keyed(request)
        check_wait(request.lock_timeout_ms)
        return self._once(session, request, lambda r: session.end(r, commit=False))

    @call
    def Claim(self, request):
        session = self._keyed(request)
        check_id(request.operation_id, "operation_id")
        phase = request.WhichOneof("phase")
        if phase is None:
            raise invalid("the request breaks the contract: ClaimRequest.phase is required")
        if phase in ("intend", "prove") and request.HasField("transaction_id"):
            raise invalid("the request breaks the contract: ClaimRequest.transaction_id is absent for this phase")
        if phase == "intend" and request.intend.segment >= request.intend.segments:
            raise invalid("the request breaks the contract: ClaimRequest.segment is one of the segments")
        return self._once(session, request, session.claim)

    @call
    def ReadClaims(self, request):
        session = self._session(request.session_id)
        with session.turn:
            return session.read_claims(request.limit)

    @call
    def AdoptDatabase(self, request):
        session = self._keyed(request)
        if request.adoption == 0:
            raise invalid("the request breaks the contract: AdoptRequest.adoption is required")
        return self._once(session, request, session.adopt)

    @call
    def ForgetRecords(self, request):
        session = self._keyed(request)
        return self._once(session, request, session.forget)

    def _once(self, session, request, work):
        """Something that changes something: its request ID is spent first, whatever comes of it."""
        with session.turn:
            session.spend(request.key.request_id)
            return self._negotiated(work(request))

    # Locks ------------------------------------------------------------------------------------------------------------

    @call
    def TryLock(self, request):
        session = self._keyed(request)
        with session.turn:
            return self._negotiated(session.try_lock(request.key))

    @call
    def CheckLock(self, request):
        session = self._keyed(request)
        with session.turn:
            return self._negotiated(session.check_lock(request.key))

    @call
    def ReleaseLock(self, request):
        session = self._keyed(request)
        with session.turn:
            return self._negotiated(session.release_lock(request.key))

    def _negotiated(self, reply):
        """Takes a diagnostic out that the host did not say it understands."""
        if not self._reasons and "diagnostic" in reply.DESCRIPTOR.fields_by_name:
            reply.ClearField("diagnostic")
        return reply


def _write(work):
    """Runs what writes to a file, and fails in our own words."""
    try:
        work()
    except OSError as error:
        raise precondition("the file cannot be written") from error


def _check_engine(name):
    if name != ENGINE:
        raise Failure(grpc.StatusCode.UNIMPLEMENTED, "the provider has no such engine")


def _features(host):
    return [feature for feature in contract.FEATURES if feature not in contract.TWO_WAY or feature in host]


def _rules():
    exact = common_pb2.COMPARISON_EXACT
    return common_pb2.IdentifierRules(table=exact, column=exact, index=exact)


def _description(host):
    """What the provider is, without the two-way features that the host did not list."""
    features = _features(host)
    engine = describe_pb2.Engine(
        name=ENGINE,
        url_schemes=[ENGINE],
        features=features,
        identifier_rules=_rules(),
        models=[
            describe_pb2.KindModel(kind=TABLE, holds=describe_pb2.HOLDS_ROWS, renamable=True),
            describe_pb2.KindModel(
                kind=COLUMN, parent=TABLE, member=True, holds=describe_pb2.HOLDS_VALUES, renamable=True
            ),
        ],
    )
    if contract.DEFAULT_CAPABILITIES in features:
        engine.default_capabilities.add(name="ddl_inside_transaction", established=True)
    return describe_pb2.Description(
        provider_id="example.org/drawer",
        display_name="Drawer",
        version="1.0.0",
        contract=common_pb2.ContractVersion(major=1, minor=0),
        features=features,
        engines=[engine],
    )


def _cut(entries):
    """Lists of entries that are small enough for one part of a stream."""
    some, size = [], 0
    for entry in entries:
        if some and size + entry.ByteSize() > contract.PART_BYTES:
            yield some
            some, size = [], 0
        some.append(entry)
        size += entry.ByteSize()
    if some:
        yield some


def _analysis(text):
    """What a schema source says: definitions of tables, additions to them, and drops before a definition."""
    statements, faults, directives = language.parse(text)
    positions = language.Positions(text)

    def span(start, end):
        offset, length, line, column = positions.span(start, end)
        return common_pb2.Span(offset=offset, length=length, line=line, column=column)

    found = {"statements": [], "definitions": [], "directives": [], "diagnostics": []}
    for said in statements:
        one = sql_pb2.Statement(position=span(said.start, said.end), text=text[said.start : said.end])
        if said.sort == "create":
            columns = {c.name: {"type": c.type, "required": c.required} for c in said.columns}
            definition = str(contract.Digest("drawer.table.v1").text(language.create_text(said.table, columns)))
            one.define.CopyFrom(sql_pb2.DefineRole(object=table_id(said.table), definition=definition))
        elif said.sort == "add-column":
            one.extend.CopyFrom(table_id(said.table))
            one.needs.append(table_id(said.table))
        elif said.sort == "drop" and said.if_exists:
            one.drop_if_exists.CopyFrom(table_id(said.table))
        else:
            sentence = "a schema source says what shall be there; this statement says what to do"
            faults.append(language.Fault("drawer.not-a-definition", sentence, said.start, said.end))
            continue
        found["statements"].append(one)
        for name, start, end in said.places:
            member = column_id(name) if name else None
            found["definitions"].append(
                sql_pb2.Definition(object=table_id(said.table), member=member, position=span(start, end))
            )
    for said in directives:
        found["directives"].append(
            sql_pb2.Directive(
                name=said.name,
                arguments=[sql_pb2.Argument(name=name, value=value) for name, value in said.arguments],
                position=span(said.start, said.end),
                object=table_id(said.table),
                member=column_id(said.column) if said.column else None,
            )
        )
    for fault in sorted(faults, key=lambda f: f.start):
        found["diagnostics"].append(
            sql_pb2.Diagnostic(
                code=fault.code,
                severity=sql_pb2.SEVERITY_ERROR,
                summary=fault.sentence,
                position=span(fault.start, fault.end),
            )
        )
    return found
