package pulumicli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Mend repairs files that a killed CLI wrote partially, and returns their names. The local
// backend does not write atomically ("failed to load checkpoint: EOF"). A state is replaced
// by Pulumi's backup, which is from before the last operation, as if the provider's response
// had been lost. Attribute files are removed, since the backend does not need them.
func (p *Project) Mend() (torn []string, err error) {
	stacks := filepath.Join(p.Backend(), ".pulumi", "stacks", "*")
	states, err := filepath.Glob(filepath.Join(stacks, "*.json"))
	if err != nil || len(states) == 0 {
		return nil, fmt.Errorf("no state in %s: %v", stacks, err)
	}
	for _, state := range states {
		whole, err := isWhole(state)
		if err != nil || whole {
			if err != nil {
				return torn, err
			}
			continue
		}
		torn = append(torn, filepath.Base(state))
		backup, err := os.ReadFile(state + ".bak")
		if err != nil || !json.Valid(backup) {
			return torn, fmt.Errorf("the state is incomplete and has no backup: %v", err)
		}
		if err := os.WriteFile(state, backup, 0o600); err != nil {
			return torn, err
		}
	}
	attributes, err := filepath.Glob(filepath.Join(stacks, "*.attrs"))
	if err != nil {
		return torn, err
	}
	for _, name := range attributes {
		whole, err := isWhole(name)
		if err == nil && !whole {
			torn = append(torn, filepath.Base(name))
			err = os.Remove(name)
		}
		if err != nil {
			return torn, err
		}
	}
	return torn, nil
}

func isWhole(name string) (bool, error) {
	text, err := os.ReadFile(name)
	return json.Valid(text), err
}
