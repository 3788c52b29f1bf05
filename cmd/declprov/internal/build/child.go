package build

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// Child is the whole of the hidden process: it reads a request, confines
// itself, evaluates and compiles the spec, and answers. A spec that is wrong is
// an answer, not an error.
func Child(ctx context.Context, in io.Reader, out io.Writer) error {
	var req request
	if err := json.NewDecoder(in).Decode(&req); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if err := confine(req.Limits); err != nil {
		return err
	}
	return evaluate(ctx, req.Spec, req.Tool).write(out)
}
