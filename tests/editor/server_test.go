package editor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/declprov/declprov/tests/internal/tools"
)

// server is CUE's language server with one open file.
type server struct {
	conn *jsonrpc2.Conn
	uri  string
	text string
}

// pipes are the standard input and output of a process.
type pipes struct {
	io.ReadCloser
	in io.WriteCloser
}

func (p pipes) Write(b []byte) (int, error) { return p.in.Write(b) }
func (p pipes) Close() error                { return errors.Join(p.in.Close(), p.ReadCloser.Close()) }

// edit starts the language server in a folder, and opens a file with a text, which need not be
// the one on disk.
func edit(t *testing.T, dir, file, text string) *server {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tools.Need(t, tools.CUE), "lsp")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stream := jsonrpc2.NewBufferedStream(pipes{out, in}, jsonrpc2.VSCodeObjectCodec{})
	s := &server{uri: "file://" + filepath.ToSlash(filepath.Join(dir, file)), text: text}
	s.conn = jsonrpc2.NewConn(t.Context(), stream, jsonrpc2.HandlerWithError(answer))
	t.Cleanup(func() {
		_ = s.conn.Close()
		_ = cmd.Wait() // the server ends with its standard input
	})
	folder := map[string]any{"uri": "file://" + filepath.ToSlash(dir), "name": "spec"}
	s.call(t, "initialize", map[string]any{
		"processId": nil, "rootUri": folder["uri"], "workspaceFolders": []any{folder},
		"capabilities": map[string]any{"workspace": map[string]any{"configuration": true}},
	}, nil)
	s.notify(t, "initialized", map[string]any{})
	s.notify(t, "textDocument/didOpen", map[string]any{
		"textDocument": map[string]any{"uri": s.uri, "languageId": "cue", "version": 1, "text": text},
	})
	return s
}

// answer answers what the language server asks: each setting has its default.
func answer(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
	if r.Method != "workspace/configuration" {
		return nil, nil
	}
	var params struct{ Items []any }
	if err := json.Unmarshal(*r.Params, &params); err != nil {
		return nil, err
	}
	return make([]map[string]any, len(params.Items)), nil
}

func (s *server) call(t *testing.T, method string, params, result any) {
	t.Helper()
	if err := s.conn.Call(t.Context(), method, params, result); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

func (s *server) notify(t *testing.T, method string, params any) {
	t.Helper()
	if err := s.conn.Notify(t.Context(), method, params); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

// at returns the place of a | in a text of the file, such as "cre|ate".
func (s *server) at(t *testing.T, place string) map[string]any {
	t.Helper()
	before, after, _ := strings.Cut(place, "|")
	if strings.Count(s.text, before+after) != 1 {
		t.Fatalf("%q is not in the file once:\n%s", before+after, s.text)
	}
	head := s.text[:strings.Index(s.text, before+after)+len(before)]
	return map[string]any{
		"textDocument": map[string]any{"uri": s.uri},
		"position":     map[string]any{"line": strings.Count(head, "\n"), "character": len(head) - strings.LastIndex(head, "\n") - 1},
	}
}

// completions returns what the server suggests at a place.
func (s *server) completions(t *testing.T, place string) map[string]bool {
	t.Helper()
	var result struct{ Items []struct{ Label string } }
	s.call(t, "textDocument/completion", s.at(t, place), &result)
	labels := map[string]bool{}
	for _, item := range result.Items {
		labels[item.Label] = true
	}
	return labels
}

// hover returns what the server explains at a place.
func (s *server) hover(t *testing.T, place string) string {
	t.Helper()
	var result struct{ Contents struct{ Value string } }
	s.call(t, "textDocument/hover", s.at(t, place), &result)
	return result.Contents.Value
}

// definition returns the name of the file to which the server leads from a place, except the
// file itself.
func (s *server) definition(t *testing.T, place string) string {
	t.Helper()
	var result []struct{ URI string }
	s.call(t, "textDocument/definition", s.at(t, place), &result)
	file := ""
	for _, found := range result {
		if found.URI != s.uri {
			file = cmp.Or(file, filepath.Base(found.URI))
		}
	}
	return file
}
