package secrets

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/tests/internal/encodings"
)

// forms are the secret as the world gives it back: as it is, and in twelve encodings.
func forms() []string {
	var all []string
	for _, e := range encodings.All() {
		all = append(all, e.Of(pin))
	}
	return all
}

// echoes are the places in which the world says what it was sent: a server that gets it in
// a body, a command that gets it on its standard input.
func echoes() []sink {
	post := func(path, more string) string {
		return `http: {method: "POST", effect: "none", path: "` + path + `", json: k: "${§}"` + more + `}`
	}
	command := func(script, more string) string {
		return `exec: {shell: "` + script + `", stdin: "${§}", effect: "none"` + more + `}`
	}
	return []sink{
		{name: "an error's text", runs: masked, step: post("/refuse", `, error: "${body.message}"`)},
		{name: "an error's body", runs: masked, step: post("/refuse", "")},
		{name: "an error's plain body", runs: masked, step: post("/shout", "")},
		{name: "a status's text", runs: silent, step: post("/status", "")},
		{name: "fail", runs: masked, step: `{` + post("/say", "") + `, fail: "${result.body.message}"}`},
		{name: "refused", runs: masked, step: `{` + post("/say", "") + `, refused: "${result.body.message}"}`},
		{name: "progress", runs: masked, step: `{` + post("/say", "") + `, progress: "${result.body.message}"}`},
		{name: "an expression that fails", runs: masked, step: `{` + post("/say", "") + `, until: "${int(result.body.message) > 3}"}`},
		{name: "a broken body", runs: silent, step: post("/break", "")},
		{name: "an encoding", runs: masked, step: post("/encode", "")},
		{name: "a charset", runs: masked, step: post("/charset", `, response: "text"`)},
		{name: "a redirect", runs: silent, step: post("/redirect", `, redirects: "same-origin"`)},
		{name: "an output", runs: hidden, step: post("/say", ""), beside: `said`},
		{name: "the keys of an output", runs: hidden, step: post("/say", ""), beside: `keys`},
		{name: "an output of anything", runs: hidden, step: post("/say", ""), beside: `any`},
		{name: "standard error", runs: masked, step: command("cat files/forms >&2; exit 1", "")},
		{name: "standard error of what works", runs: masked, step: command("cat files/forms >&2", "")},
		{name: "standard output", runs: hidden, step: command("cat files/forms", `, stdout: "lines"`), beside: `stdout`},
	}
}

// said are outputs of what the world says, by what they are made of.
var said = map[string]string{
	"said":   `[...string]`,
	"keys":   `{[string]: string}`,
	"any":    `_`,
	"stdout": `[...string]`,
}

// echo is a resource that sends the secret, and shows what comes back.
func (c cell) echo() string {
	from := map[string]string{"said": "body.all", "keys": "body.keys", "any": "body.any", "stdout": "result.stdout"}[c.sink.beside]
	typ := said[c.sink.beside]
	steps := strings.ReplaceAll(c.shape.before, "NAME", c.name)
	step := c.sink.at(c.shape.each)
	if c.shape.forEach != "" {
		step = strings.Replace(step, "{", "{forEach: "+c.shape.forEach+", ", 1)
		from = strings.Replace(from, "body.", "result[0].body.", 1)
		from = strings.Replace(from, "result.stdout", "result[0].stdout", 1)
		if strings.Contains(c.shape.inputs, "[string]") && c.shape.forEach[0] == '"' {
			from = strings.Replace(from, "result[0]", "values(result)[0]", 1)
		}
	}
	steps += step
	outputs, yield := "shown?: string", ""
	if typ != "" {
		outputs, yield = "said?: "+typ, `return: said: "${`+from+`}"`
	}
	return "inputs: {" + c.shape.declares(c.declared) + "}\noutputs: {" + outputs + "}\nsteps: [" +
		strings.ReplaceAll(steps, "idempotent: true", `effect: "none"`) + "]\n" + yield
}

// echoing is the holder of echoes: a function, which is asked quickly.
func echoing() holder {
	return holder{
		name: function, block: "functions", prefix: "echoed", shapes: shapes, sinks: echoes, cue: cell.echo,
		can: func(s shape, k sink) bool { return !strings.Contains(s.before, "file: write") },
	}
}

// TestEchoes: whatever the world says of a secret that it was sent, in whatever form,
// shows nowhere.
func TestEchoes(t *testing.T) {
	t.Parallel()
	h := echoing()
	all := cells(h)
	b := newBench(t, spec(all))
	if err := os.MkdirAll(filepath.Join(b.dir, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "files", "forms"), []byte(strings.Join(forms(), "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		b.run(c)
	}
	b.clean("standard error", b.stderr.String())
	t.Logf("%d cells, %d forms of each", len(all), len(forms()))
}

// echo answers a request that has the secret in its body with all forms of it.
func (b *bench) echo(w http.ResponseWriter, r *http.Request) bool {
	lines := strings.Join(forms(), "\n")
	say := func(status int, answer any) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(answer)
		return true
	}
	switch r.URL.Path {
	case "/refuse":
		return say(http.StatusUnprocessableEntity, map[string]any{"message": lines})
	case "/say":
		keys, things := map[string]any{}, []any{}
		for _, form := range forms() {
			keys[form] = "x"
			things = append(things, map[string]any{"in": []any{form}})
		}
		return say(http.StatusOK, map[string]any{"message": lines, "all": forms(), "keys": keys, "any": things})
	case "/shout":
		http.Error(w, lines, http.StatusBadRequest)
		return true
	case "/break":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"message": "%s`, strings.Join(forms(), " "))
		return true
	case "/redirect":
		w.Header().Set("Location", "http://127.0.0.1:1/"+strings.Join(forms()[5:9], "/"))
		w.WriteHeader(http.StatusTemporaryRedirect)
		return true
	case "/encode", "/charset":
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/encode" {
			w.Header().Set("Content-Encoding", strings.Join(forms()[1:], " "))
		} else {
			w.Header().Set("Content-Type", "text/plain; charset="+strconv.Quote(strings.Join(forms()[6:], " ")))
		}
		fmt.Fprint(w, "\xff")
		return true
	case "/status":
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			b.Error(err)
			return true
		}
		fmt.Fprintf(conn, "HTTP/1.1 400 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", strings.Join(forms(), " | "))
		conn.Close()
		return true
	}
	return false
}

// everySecret reports whether all of a value is secret.
func everySecret(v *structpb.Value) bool {
	if isSecret(v) {
		return true
	}
	items := v.GetListValue().GetValues()
	for _, item := range items {
		if !everySecret(item) {
			return false
		}
	}
	for _, item := range v.GetStructValue().GetFields() {
		if !everySecret(item) {
			return false
		}
	}
	return len(items) > 0 || len(v.GetStructValue().GetFields()) > 0
}
