// Command vetall is vet for the tests: it finds, and with --fix repairs, the mistakes in the specs
// that its arguments name, and prints the rest as `vet --format json` does. It evaluates all specs in
// its own process, without limits. A process for each, as vet starts it for specs that nobody trusts,
// takes ten times as long. No release contains this command.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/evaluate"
	"github.com/declprov/declprov/cmd/declprov/internal/repair"
	"github.com/declprov/declprov/spec/diag"
)

func main() {
	if err := vet(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func vet(ctx context.Context, paths []string) error {
	fix := len(paths) > 0 && paths[0] == "--fix"
	if fix {
		paths = paths[1:]
	}
	var findings diag.List
	for _, path := range paths {
		evaluated := func(replaced map[string][]byte) (*build.Built, error) {
			return evaluate.Here(ctx, build.Spec{Path: path, Replaced: replaced})
		}
		if fix {
			result, err := repair.Repair(evaluated)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			for name, content := range result.Files {
				if err := os.WriteFile(name, content, 0o600); err != nil {
					return err
				}
			}
			findings = append(findings, result.Built.Findings...)
			continue
		}
		built, err := evaluated(nil)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		findings = append(findings, built.Findings...)
	}
	return diag.WriteJSON(os.Stdout, findings.Sorted())
}
