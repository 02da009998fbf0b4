package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"ptah.run/interop/contract"
)

// check is one thing that has to hold. Everything after a failed one would only confuse, so the first ends the run.
type checks struct {
	client   contract.ProviderClient
	session  *contract.Session
	requests int
	passed   int
}

func (c *checks) that(what string, holds bool, seen any) error {
	if !holds {
		return fmt.Errorf("FAILED: %s; seen: %v", what, seen)
	}
	c.passed++
	fmt.Println("ok   ", what)
	return nil
}

func (c *checks) request() string {
	c.requests++
	return fmt.Sprintf("request-%d", c.requests)
}

func (c *checks) key(scope string) *contract.Key {
	return &contract.Key{SessionId: c.session.SessionId, Scope: scope, RequestId: c.request()}
}

// checkCalls makes real calls to our SQLite provider.
func checkCalls(executable, folder string) error {
	client, provider, err := start(executable, folder)
	if err != nil {
		return err
	}
	defer client.Kill()
	c := &checks{client: provider}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	protocol, err := client.Client()
	if err != nil {
		return err
	}
	steps := []func() error{
		func() error {
			return c.that("the health service answers go-plugin's ping", protocol.Ping() == nil, nil)
		},
		func() error { return c.nobodyElse(folder) },
		func() error { return c.negotiation(ctx) },
		func() error { return c.failures(ctx, folder) },
		func() error { return c.target(ctx, folder) },
		func() error { return c.analysis(ctx) },
		func() error { return c.locks(ctx, folder) },
		func() error { return c.transaction(ctx) },
		func() error { return c.reading(ctx) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	began := time.Now()
	client.Kill()
	took := time.Since(began)
	if err := c.that("the end asked for by go-plugin takes less than its two seconds of grace", took < 1500*time.Millisecond, took); err != nil {
		return err
	}
	left, err := filepath.Glob(filepath.Join(folder, "*sock*"))
	if err != nil {
		return err
	}
	if err := c.that("nothing is left of the socket", len(left) == 0, left); err != nil {
		return err
	}
	fmt.Printf("%d passed, 0 failed\n", c.passed)
	return nil
}

// nobodyElse connects to the socket as another program of the same user.
func (c *checks) nobodyElse(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	place := slices.IndexFunc(entries, func(e os.DirEntry) bool { return e.Type()&os.ModeSocket != 0 })
	if place < 0 {
		return errors.New("there is no socket in the folder that the host named")
	}
	connection, err := net.Dial("unix", filepath.Join(folder, entries[place].Name()))
	if err != nil {
		return err
	}
	defer connection.Close()
	// In TLS 1.3 a client without a certificate learns at its first reading that it is refused.
	stranger := tls.Client(connection, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	_ = stranger.SetDeadline(time.Now().Add(10 * time.Second))
	err = stranger.Handshake()
	if err == nil {
		_, err = io.ReadFull(stranger, make([]byte, 1))
	}
	var timeout net.Error
	refused := err != nil && !(errors.As(err, &timeout) && timeout.Timeout())
	return c.that("a peer without the host's certificate is refused", refused, err)
}

func (c *checks) negotiation(ctx context.Context) error {
	_, err := c.client.Open(ctx, &contract.OpenRequest{RequestId: c.request(), Engine: "sqlite"})
	if err := c.that("a call before Describe is refused", status.Code(err) == codes.FailedPrecondition, err); err != nil {
		return err
	}
	described, err := c.client.Describe(ctx, describeRequest())
	if err != nil {
		return fmt.Errorf("Describe: %w", err)
	}
	if err := c.that("the provider is ours", described.ProviderId == "ptah.run/sqlite", described.ProviderId); err != nil {
		return err
	}
	unlisted := slices.Contains(described.Features, "schema.unread-tables")
	return c.that("a two-way feature that the host did not list is not offered", !unlisted, described.Features)
}

func (c *checks) failures(ctx context.Context, folder string) error {
	_, err := c.client.Open(ctx, &contract.OpenRequest{
		RequestId: c.request(),
		Engine:    "sqlite",
		Target:    &contract.OpenRequest_Address{Address: "sqlite://secret-name.db"},
		Purpose:   contract.Purpose_PURPOSE_READ,
	})
	failed := status.Convert(err)
	if err := c.that("a failed call has its code", failed.Code() == codes.InvalidArgument, err); err != nil {
		return err
	}
	if err := c.that("a failed call has no message", failed.Message() == "", failed.Message()); err != nil {
		return err
	}
	reason, found := "", false
	for _, detail := range failed.Details() {
		if r, is := detail.(*contract.Reason); is {
			reason, found = r.Text, true
		}
	}
	return c.that("its reason comes as a detail", found && reason != "", failed.Details())
}

func (c *checks) target(ctx context.Context, folder string) error {
	opened, err := c.client.Open(ctx, &contract.OpenRequest{
		RequestId: c.request(),
		Engine:    "sqlite",
		Target:    &contract.OpenRequest_Address{Address: "sqlite://shop.db"},
		Folder:    &folder,
		Purpose:   contract.Purpose_PURPOSE_APPLY,
		Create:    true,
	})
	if err != nil {
		return fmt.Errorf("Open: %w", err)
	}
	c.session = opened
	return c.that("a session opens on a new database", opened.Exists && opened.Engine == "sqlite", opened)
}

func (c *checks) analysis(ctx context.Context) error {
	text := "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT);\n"
	stream, err := c.client.AnalyzeSql(ctx, &contract.AnalyzeSqlRequest{Engine: "sqlite", Source: "schema.sql", Text: text})
	if err != nil {
		return fmt.Errorf("AnalyzeSql: %w", err)
	}
	statements, count, ended := 0, uint64(0), false
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("AnalyzeSql: %w", err)
		}
		statements += len(part.GetStatements().GetStatements())
		if end := part.GetEnd(); end != nil {
			count, ended = end.Count, true
		}
	}
	return c.that("an analysis streams to its end", statements == 1 && ended && count > 0, statements)
}

func (c *checks) locks(ctx context.Context, folder string) error {
	asked := &contract.LockRequest{Key: c.key("run")}
	type call func(context.Context, *contract.LockRequest) (*contract.LockReceipt, error)
	try := func(r *contract.LockRequest) (*contract.LockReceipt, error) { return c.client.TryLock(ctx, r) }
	for _, one := range []struct {
		what string
		ask  *contract.LockRequest
		call string
		want contract.LockState
	}{
		{"a free lock is acquired", asked, "try", contract.LockState_LOCK_STATE_ACQUIRED},
		{"the same ID gets the first answer", asked, "try", contract.LockState_LOCK_STATE_ACQUIRED},
		{"a held lock is proven", asked, "check", contract.LockState_LOCK_STATE_ACQUIRED},
	} {
		if err := c.lock(ctx, one.what, one.ask, one.call, one.want); err != nil {
			return err
		}
	}
	receipt, err := try(asked)
	if err != nil {
		return err
	}
	if err := c.that("a receipt echoes its key", receipt.Key.RequestId == asked.Key.RequestId && receipt.Key.Scope == "run", receipt); err != nil {
		return err
	}
	fenced := &contract.LockRequest{Key: c.key("run-2")}
	for _, one := range []struct {
		what string
		call string
		want contract.LockState
	}{
		{"the release of an unknown ID fences it", "release", contract.LockState_LOCK_STATE_RELEASED},
		{"a fenced ID acquires nothing", "try", contract.LockState_LOCK_STATE_LOST},
	} {
		if err := c.lock(ctx, one.what, fenced, one.call, one.want); err != nil {
			return err
		}
	}
	return nil
}

func (c *checks) lock(ctx context.Context, what string, ask *contract.LockRequest, call string, want contract.LockState) error {
	calls := map[string]func() (*contract.LockReceipt, error){
		"try":     func() (*contract.LockReceipt, error) { return c.client.TryLock(ctx, ask) },
		"check":   func() (*contract.LockReceipt, error) { return c.client.CheckLock(ctx, ask) },
		"release": func() (*contract.LockReceipt, error) { return c.client.ReleaseLock(ctx, ask) },
	}
	receipt, err := calls[call]()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return c.that(what, receipt.State == want, receipt)
}

func (c *checks) transaction(ctx context.Context) error {
	// The context of the call that begins ends right away; the transaction must not.
	short, cancel := context.WithCancel(ctx)
	begun, err := c.client.BeginTransaction(short, &contract.BeginRequest{Key: c.key("run"), LockTimeoutMs: 1000})
	cancel()
	if err != nil {
		return fmt.Errorf("BeginTransaction: %w", err)
	}
	if err := c.that("a transaction begins", begun.State == contract.TransactionState_TRANSACTION_STATE_BEGUN, begun); err != nil {
		return err
	}
	unit := func(sql string) *contract.Unit { return &contract.Unit{Unit: &contract.Unit_Sql{Sql: sql}} }
	asked := &contract.ExecuteRequest{
		Key:           c.key("run"),
		TransactionId: &begun.TransactionId,
		Units:         []*contract.Unit{unit("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)"), unit("CREATE TABLE person (id INTEGER PRIMARY KEY)")},
	}
	executed, err := c.client.Execute(ctx, asked)
	if err != nil {
		return fmt.Errorf("Execute: %w", err)
	}
	applied := executed.Outcome == contract.Outcome_OUTCOME_APPLIED && executed.AppliedCount == 2
	if err := c.that("units are applied in the transaction that outlived its call", applied, executed); err != nil {
		return err
	}
	_, err = c.client.Execute(ctx, asked)
	if err := c.that("a request ID never runs twice", status.Code(err) == codes.AlreadyExists, err); err != nil {
		return err
	}
	ended, err := c.client.CommitTransaction(ctx, &contract.EndRequest{Key: c.key("run"), TransactionId: begun.TransactionId})
	if err != nil {
		return fmt.Errorf("CommitTransaction: %w", err)
	}
	return c.that("it commits", ended.State == contract.TransactionState_TRANSACTION_STATE_COMMITTED, ended)
}

func (c *checks) reading(ctx context.Context) error {
	stream, err := c.client.Inspect(ctx, &contract.InspectRequest{SessionId: c.session.SessionId})
	if err != nil {
		return fmt.Errorf("Inspect: %w", err)
	}
	objects, end := 0, (*contract.InspectEnd)(nil)
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("Inspect: %w", err)
		}
		objects += len(part.GetObjects().GetObjects())
		if part.GetEnd() != nil {
			end = part.GetEnd()
		}
	}
	if err := c.that("the reading has both tables and its end", objects == 2 && end != nil && end.Count == 2, objects); err != nil {
		return err
	}
	closed, err := c.client.Close(ctx, &contract.CloseRequest{SessionId: c.session.SessionId, RequestId: c.request()})
	if err != nil {
		return fmt.Errorf("Close: %w", err)
	}
	if err := c.that("the session closes", closed.RequestId != "", closed); err != nil {
		return err
	}
	_, err = c.client.Execute(ctx, &contract.ExecuteRequest{Key: c.key("run"), Units: []*contract.Unit{{Unit: &contract.Unit_Sql{Sql: "SELECT 1"}}}})
	return c.that("a closed session is gone", status.Code(err) == codes.NotFound, err)
}
