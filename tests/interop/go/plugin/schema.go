package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"ptah.run/interop/contract"
)

// statement is one line of the language.
type statement struct {
	makes      bool
	name       string
	start, end int // In bytes.
	line       int
}

// parse reads a text: what it says, and the statements that it cannot read.
func parse(text string) (statements, faults []statement) {
	start := 0
	for number, line := range strings.Split(text, "\n") {
		said := strings.TrimSpace(line)
		if said != "" && !strings.HasPrefix(said, "--") {
			begin := start + strings.Index(line, said)
			words := strings.Fields(said)
			one := statement{start: begin, end: begin + len(said), line: number + 1}
			if len(words) == 2 && (words[0] == "MAKE" || words[0] == "REMOVE") {
				one.makes, one.name = words[0] == "MAKE", words[1]
				statements = append(statements, one)
			} else {
				faults = append(faults, one)
			}
		}
		start += len(line) + 1
	}
	return statements, faults
}

func boxID(name string) *contract.ObjectId {
	return &contract.ObjectId{Kind: kindBox, Name: &contract.Name{Source: name}}
}

// digest hashes fields, each with its length in front; strings and numbers.
func digest(fields ...any) []byte {
	hash := sha256.New()
	field := func(bytes []byte) {
		_ = binary.Write(hash, binary.BigEndian, uint64(len(bytes)))
		hash.Write(bytes)
	}
	for _, one := range fields {
		switch one := one.(type) {
		case string:
			field([]byte(one))
		case []byte:
			field(one)
		case int:
			field(binary.BigEndian.AppendUint64(nil, uint64(one)))
		}
	}
	return hash.Sum(nil)
}

func digestOf(fields ...any) string {
	return "sha256:" + hex.EncodeToString(digest(fields...))
}

// fingerprint of a shelf: objects without schema, owner, facets and members.
func fingerprint(names []string) string {
	fields := []any{"ptah.schema.v1", len(names)}
	for _, name := range names {
		fields = append(fields, digest("ptah.object.v1", kindBox, 0, 0, name, 0, 0))
	}
	return digestOf(append(fields, 0)...)
}

// Inspect reads the shelf and keeps the reading.
func (p *provider) Inspect(request *contract.InspectRequest, stream grpc.ServerStreamingServer[contract.InspectPart]) error {
	s, err := p.session(request.SessionId)
	if err != nil {
		return err
	}
	if request.LockTimeoutMs > 20_000 {
		return p.fail(codes.InvalidArgument, "a call waits at most 20000 ms")
	}
	s.mutex.Lock()
	names, err := s.shelf.names()
	if err != nil {
		s.mutex.Unlock()
		return p.fail(codes.FailedPrecondition, "the folder cannot be read")
	}
	id := randomID()
	s.snapshots[id] = names
	s.mutex.Unlock()
	if !request.FingerprintOnly && len(names) > 0 {
		chunk := &contract.ObjectsChunk{}
		for _, name := range names {
			chunk.Objects = append(chunk.Objects, &contract.Object{Id: boxID(name)})
		}
		if err := stream.Send(&contract.InspectPart{Part: &contract.InspectPart_Objects{Objects: chunk}}); err != nil {
			return err
		}
	}
	end := &contract.InspectEnd{Count: uint64(len(names)), Fingerprint: fingerprint(names), SnapshotId: id}
	return stream.Send(&contract.InspectPart{Part: &contract.InspectPart_End{End: end}})
}

// Render writes a reading as statements.
func (p *provider) Render(request *contract.RenderRequest, stream grpc.ServerStreamingServer[contract.RenderPart]) error {
	s, err := p.session(request.Snapshot.GetSessionId())
	if err != nil {
		return err
	}
	s.mutex.Lock()
	names, found := s.snapshots[request.Snapshot.GetSnapshotId()]
	s.mutex.Unlock()
	if !found {
		return p.fail(codes.NotFound, "there is no such reading; it ends with its session")
	}
	part := &contract.RenderPart{}
	for _, name := range names {
		part.Definitions = append(part.Definitions, &contract.RenderedDefinition{Object: boxID(name), Text: "MAKE " + name})
	}
	return stream.Send(part)
}

// AnalyzeSql says what a source defines, and where.
func (p *provider) AnalyzeSql(
	request *contract.AnalyzeSqlRequest,
	stream grpc.ServerStreamingServer[contract.AnalyzeSqlPart],
) error {
	if p.described == nil {
		return p.fail(codes.FailedPrecondition, "nothing is negotiated: Describe comes first")
	}
	if request.Engine != engineName {
		return p.fail(codes.Unimplemented, "the provider has no such engine")
	}
	found, faults := parse(request.Text)
	statements, definitions := &contract.StatementsChunk{}, &contract.DefinitionsChunk{}
	diagnostics := &contract.DiagnosticsChunk{}
	for _, one := range found {
		if !one.makes {
			faults = append(faults, one)
			continue
		}
		define := &contract.DefineRole{Object: boxID(one.name), Definition: digestOf("shelf.box.v1", one.name)}
		statements.Statements = append(statements.Statements, &contract.Statement{
			Position: span(one, request.Text),
			Text:     request.Text[one.start:one.end],
			Role:     &contract.Statement_Define{Define: define},
		})
		definition := &contract.Definition{Object: boxID(one.name), Position: span(one, request.Text)}
		definitions.Definitions = append(definitions.Definitions, definition)
	}
	for _, one := range faults {
		diagnostics.Diagnostics = append(diagnostics.Diagnostics, &contract.Diagnostic{
			Code:     "shelf.syntax",
			Severity: contract.Severity_SEVERITY_ERROR,
			Summary:  "a schema source of a shelf has lines `MAKE name`",
			Position: span(one, request.Text),
		})
	}
	var parts []*contract.AnalyzeSqlPart
	for _, run := range runs(statements.Statements) {
		chunk := &contract.StatementsChunk{Statements: run}
		parts = append(parts, &contract.AnalyzeSqlPart{Part: &contract.AnalyzeSqlPart_Statements{Statements: chunk}})
	}
	for _, run := range runs(definitions.Definitions) {
		chunk := &contract.DefinitionsChunk{Definitions: run}
		parts = append(parts, &contract.AnalyzeSqlPart{Part: &contract.AnalyzeSqlPart_Definitions{Definitions: chunk}})
	}
	for _, run := range runs(diagnostics.Diagnostics) {
		chunk := &contract.DiagnosticsChunk{Diagnostics: run}
		parts = append(parts, &contract.AnalyzeSqlPart{Part: &contract.AnalyzeSqlPart_Diagnostics{Diagnostics: chunk}})
	}
	count := len(statements.Statements) + len(definitions.Definitions) + len(diagnostics.Diagnostics)
	parts = append(parts, &contract.AnalyzeSqlPart{Part: &contract.AnalyzeSqlPart_End{End: &contract.AnalyzeSqlEnd{Count: uint64(count)}}})
	for _, part := range parts {
		if err := stream.Send(part); err != nil {
			return err
		}
	}
	return nil
}

func span(one statement, text string) *contract.Span {
	column := one.start - strings.LastIndexByte(text[:one.start], '\n')
	return &contract.Span{Offset: uint64(one.start), Length: uint32(one.end - one.start), Line: uint32(one.line), Column: uint32(column)}
}

// A part of a large reply stays well under the limit of a message, 4 MiB.
const partBytes = 1 << 20

// runs cuts a list into runs that each fit into one part.
func runs[T proto.Message](list []T) [][]T {
	var cut [][]T
	start, size := 0, 0
	for at, one := range list {
		// A tag and a length before each.
		bytes := proto.Size(one) + 8
		if size+bytes > partBytes && at > start {
			cut = append(cut, list[start:at])
			start, size = at, 0
		}
		size += bytes
	}
	if start < len(list) {
		cut = append(cut, list[start:])
	}
	return cut
}
