// The peer for declarative work: Atlas as a library, on SQLite.
//
// Its command line cannot be had, so this drives the published module with the same calls: inspect the database,
// evaluate the desired schema, compare the two, plan the changes, and carry them out.
//
//	atlas inspect FILE.db
//	atlas plan FILE.db SCHEMA.hcl
//	atlas apply FILE.db SCHEMA.hcl
//
// stdout gets one line: the number of tables, changes and statements. stderr gets the milliseconds of each phase.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"time"

	"ariga.io/atlas/sql/migrate"
	"ariga.io/atlas/sql/schema"
	"ariga.io/atlas/sql/sqlclient"
	_ "ariga.io/atlas/sql/sqlite"
	"github.com/hashicorp/hcl/v2/hclparse"
	modernc "modernc.org/sqlite"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 || (args[0] != "inspect" && len(args) < 3) {
		return fmt.Errorf("usage: atlas inspect FILE.db | atlas plan|apply FILE.db SCHEMA.hcl")
	}
	// The library looks for a driver of this name; the one registered is written in Go and needs no C compiler.
	sql.Register("sqlite3", &modernc.Driver{})
	ctx := context.Background()
	lap := laps()
	client, err := sqlclient.Open(ctx, "sqlite://"+args[1])
	if err != nil {
		return err
	}
	defer client.Close()
	current, err := client.InspectRealm(ctx, &schema.InspectRealmOption{Schemas: []string{"main"}})
	if err != nil {
		return err
	}
	lap("inspect")
	if args[0] == "inspect" {
		fmt.Printf("tables=%d\n", len(current.Schemas[0].Tables))
		return nil
	}
	desired, err := evaluate(client, args[2])
	if err != nil {
		return err
	}
	lap("evaluate")
	changes, err := client.RealmDiff(current, desired)
	if err != nil {
		return err
	}
	lap("diff")
	var plan *migrate.Plan
	if plan, err = client.PlanChanges(ctx, "bench", changes); err != nil {
		return err
	}
	lap("plan")
	if args[0] == "apply" {
		if err := client.ApplyChanges(ctx, changes); err != nil {
			return err
		}
		lap("apply")
	}
	fmt.Printf("changes=%d statements=%d\n", len(changes), len(plan.Changes))
	return nil
}

func evaluate(client *sqlclient.Client, path string) (*schema.Realm, error) {
	parser := hclparse.NewParser()
	if _, problems := parser.ParseHCLFile(path); problems.HasErrors() {
		return nil, problems
	}
	var desired schema.Realm
	return &desired, client.Eval(parser, &desired, nil)
}

// laps returns a function that tells the time since it was last called.
func laps() func(string) {
	last := time.Now()
	return func(phase string) {
		fmt.Fprintf(os.Stderr, "%s=%dms ", phase, time.Since(last).Milliseconds())
		last = time.Now()
	}
}
