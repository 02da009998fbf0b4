package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"ptah.run/interop/contract"
)

const (
	engineName = "shelf"
	scheme     = "shelf://"
	reasons    = "errors.reasons"
	large      = "transport.large-messages"
	kindBox    = "box"
)

var (
	oneWay = []string{"schema.inspect", "schema.render", "units.execute", "sql.analyze", "sessions.locks", "sessions.query"}
	twoWay = []string{reasons, large}
)

// provider is the service. Calls that it does not have are answered by the embedded one: Unimplemented.
type provider struct {
	contract.UnimplementedProviderServer
	mutex     sync.Mutex
	described *contract.DescribeRequest
	sessions  map[string]*session
}

func newProvider() *provider {
	return &provider{sessions: map[string]*session{}}
}

// fail makes a failed call: its code, no message, and the reason if the host understands reasons.
func (p *provider) fail(code codes.Code, reason string) error {
	made := &status.Status{Code: int32(code)}
	if p.described != nil && slices.Contains(p.described.HostFeatures, reasons) {
		detail, err := anypb.New(&contract.Reason{Text: reason})
		if err == nil {
			made.Details = append(made.Details, detail)
		}
	}
	return grpcstatus.ErrorProto(made)
}

// features are those that this host can use.
func (p *provider) features() []string {
	both := slices.Clone(oneWay)
	for _, feature := range twoWay {
		if slices.Contains(p.described.HostFeatures, feature) {
			both = append(both, feature)
		}
	}
	return both
}

func exact() *contract.IdentifierRules {
	rule := contract.Comparison_COMPARISON_EXACT
	return &contract.IdentifierRules{Table: rule, Column: rule, Index: rule}
}

// Describe settles what both sides use.
func (p *provider) Describe(_ context.Context, request *contract.DescribeRequest) (*contract.Description, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if request.Contract == nil || request.Contract.Major != 1 {
		return nil, p.fail(codes.FailedPrecondition, "this provider speaks contract 1.0, and the host another major")
	}
	for _, feature := range request.RequiredFeatures {
		if !slices.Contains(oneWay, feature) && !slices.Contains(twoWay, feature) {
			return nil, p.fail(codes.FailedPrecondition, "the host requires a feature that this provider does not have")
		}
	}
	if p.described != nil && !proto.Equal(p.described, request) {
		return nil, p.fail(codes.FailedPrecondition, "another description was negotiated on this connection")
	}
	p.described = request
	return &contract.Description{
		ProviderId:  "example.org/shelf",
		DisplayName: "Shelf",
		Version:     "1.0.0",
		Contract:    &contract.ContractVersion{Major: 1},
		Features:    p.features(),
		Engines: []*contract.Engine{{
			Name:            engineName,
			UrlSchemes:      []string{engineName},
			Features:        p.features(),
			IdentifierRules: exact(),
			Models:          []*contract.KindModel{{Kind: kindBox, Holds: contract.Holds_HOLDS_NOTHING}},
		}},
	}, nil
}

func randomID() string {
	bits := make([]byte, 32)
	_, _ = rand.Read(bits)
	return base64.RawURLEncoding.EncodeToString(bits)
}

// Open makes a session on the shelf that the address names.
func (p *provider) Open(_ context.Context, request *contract.OpenRequest) (*contract.Session, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.described == nil {
		return nil, p.fail(codes.FailedPrecondition, "nothing is negotiated: Describe comes first")
	}
	if request.Engine != engineName {
		return nil, p.fail(codes.Unimplemented, "the provider has no such engine")
	}
	if request.LockTimeoutMs > 20_000 {
		return nil, p.fail(codes.InvalidArgument, "a call waits at most 20000 ms")
	}
	if request.Purpose != contract.Purpose_PURPOSE_READ && request.Purpose != contract.Purpose_PURPOSE_APPLY {
		return nil, p.fail(codes.InvalidArgument, "a shelf is opened to read or to apply")
	}
	if request.Create && request.Purpose != contract.Purpose_PURPOSE_APPLY {
		return nil, p.fail(codes.InvalidArgument, "the request breaks the contract: create is only for an apply")
	}
	folder, found := strings.CutPrefix(request.GetAddress(), scheme)
	if !found || folder == "" {
		return nil, p.fail(codes.InvalidArgument, "an address of a shelf is `shelf://` and a folder")
	}
	if !filepath.IsAbs(folder) {
		if request.Folder == nil {
			return nil, p.fail(codes.InvalidArgument, "the path is relative, and the host did not say where it starts")
		}
		folder = filepath.Join(*request.Folder, folder)
	}
	on := shelf{folder: filepath.Clean(folder)}
	if request.Create {
		if err := os.MkdirAll(on.folder, 0o700); err != nil {
			return nil, p.fail(codes.FailedPrecondition, "the folder cannot be made")
		}
	}
	opened := newSession(on, request.Purpose)
	p.sessions[opened.id] = opened
	return &contract.Session{
		RequestId:       request.RequestId,
		SessionId:       opened.id,
		Engine:          engineName,
		Database:        filepath.Base(on.folder),
		ServerVersion:   "1",
		IdentifierRules: exact(),
		Features:        p.features(),
		SettingsDigest:  digestOf("shelf.settings.v1"),
		Identity:        &contract.DatabaseIdentity{Physical: "folder " + on.folder, Route: on.folder},
		Exists:          on.exists(),
	}, nil
}

// Close ends a session; one that is not there is ended already.
func (p *provider) Close(_ context.Context, request *contract.CloseRequest) (*contract.CloseReply, error) {
	p.mutex.Lock()
	if p.described == nil {
		p.mutex.Unlock()
		return nil, p.fail(codes.FailedPrecondition, "nothing is negotiated: Describe comes first")
	}
	closing := p.sessions[request.SessionId]
	delete(p.sessions, request.SessionId)
	p.mutex.Unlock()
	if closing != nil {
		closing.close()
	}
	return &contract.CloseReply{RequestId: request.RequestId}, nil
}

func (p *provider) session(id string) (*session, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.described == nil {
		return nil, p.fail(codes.FailedPrecondition, "nothing is negotiated: Describe comes first")
	}
	if found := p.sessions[id]; found != nil {
		return found, nil
	}
	return nil, p.fail(codes.NotFound, "there is no such session")
}

// QueryRows answers a question about rows. A shelf has none; the query is a number of bytes, and the answer has one value
// of that size, so that calls can be measured.
func (p *provider) QueryRows(_ context.Context, request *contract.QueryRowsRequest) (*contract.QueryRowsReply, error) {
	s, err := p.session(request.SessionId)
	if err != nil {
		return nil, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if request.Limit < 1 || request.Limit > 1_000 {
		return nil, p.fail(codes.InvalidArgument, "the request breaks the contract: a limit is 1 to 1000")
	}
	size, err := strconv.Atoi(request.Query)
	if err != nil || size < 0 || size > 64<<20 {
		return nil, p.fail(codes.InvalidArgument, "a query is a number of bytes up to 64 MiB")
	}
	value := strings.Repeat("x", size)
	row := &contract.Row{Cells: []*contract.Cell{{Value: &value}}}
	return &contract.QueryRowsReply{Columns: []string{"value"}, Rows: []*contract.Row{row}}, nil
}
