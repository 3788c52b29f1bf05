package provider

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"
)

// Journal returns the output of `declprov journal` in an environment.
func Journal(t testing.TB, env []string) ([]map[string]any, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), Binary(t), "journal", "--json")
	cmd.Env = env
	printed, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("declprov journal: %w\n%s", err, printed)
	}
	var intents []map[string]any
	if err := json.Unmarshal(printed, &intents); err != nil {
		return nil, fmt.Errorf("declprov journal: %w\n%s", err, printed)
	}
	return intents, nil
}
