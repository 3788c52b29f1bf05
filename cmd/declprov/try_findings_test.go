package main

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// toySpec has a resource for each habit of the server of toys.
const toySpec = `name: "toys"
version: "0.1.0"
http: baseURL: "ADDRESS"
#Toy: {id: int, name: string, ...}
resources: {
	Plain: {inputs: {name: string}, rest: {path: "/plain", idempotencyKey: true, returns: #Toy, items: "items"}}
	Hiding: {inputs: {name: string, secret: string @secret()}, rest: {path: "/hiding", idempotencyKey: true}}
	Hidden: {inputs: {name: string, secret: string @secret() @noRead()}, rest: {path: "/hiding", idempotencyKey: true}}
	Optional: {inputs: {name: string, secret?: string}, rest: {path: "/hiding", idempotencyKey: true}}
	Filling: {inputs: {name: string, size?: int}, rest: {path: "/filling", idempotencyKey: true}}
	Filled: {inputs: {name: string, size?: int}, outputs: size: int, rest: {path: "/filling", idempotencyKey: true}}
	Clashing: {inputs: {name: string, size?: int}, outputs: size: int, rest: {path: "/filling", idempotencyKey: true}
		checks: [{assert: "${inputs.name != 'seven' or inputs.size == null}", message: "seven has no other size"}]}
	Narrow: {inputs: {name: string, size?: <7}, outputs: size: int, rest: {path: "/filling", idempotencyKey: true}}
	Kept: {inputs: {name: string, secret: string @secret() @noRead(), size?: int}, rest: {path: "/hiding", idempotencyKey: true}
		checks: [{assert: "${inputs.size == null or len(inputs.secret) > 3}", message: "a size requires a long secret"}]}
	Sorting: {inputs: {name: string, tags: [...string]}, rest: {path: "/sorting", idempotencyKey: true}}
	Deaf: {inputs: name: string, rest: {path: "/deaf", idempotencyKey: true}}
	NoRoute: {inputs: name: string, rest: {path: "/plain", idempotencyKey: true}, update: http: {method: "PATCH", path: "/nowhere/${id}", json: "${changes}"}}
	Upper: {inputs: name: string, rest: {path: "/upper", idempotencyKey: true}}
	Named: {inputs: {name: string, size?: int}, rest: {path: "/upper", idempotencyKey: true}}
	Listed: {inputs: {name: string}, rest: {path: "/listed", items: "items", unique: "name"}}
	Summarized: {inputs: {name: string}, rest: {path: "/summaries", list: "none"}, find: {http: path: "/summaries", return: "${find(body.items, #.name == inputs.name)}"}}
	Coupled: {inputs: {name: string, size?: int}, rest: {path: "/coupled", idempotencyKey: true}}
	Renamed: {inputs: name: string @normalised(), rest: {path: "/upper", idempotencyKey: true}}
	Exclusive: {inputs: name: string @replace(), rest: {path: "/exclusive", idempotencyKey: true}}
	Successive: {inputs: name: string @replace(), rest: {path: "/exclusive/of", idempotencyKey: true}, diff: deleteBeforeReplace: true}
	Late: {inputs: name: string, consistency: "33s", rest: {path: "/plain", idempotencyKey: true}}
	Immortal: {inputs: name: string, consistency: "1s", rest: {path: "/immortal", idempotencyKey: true}}
	Soft: {inputs: name: string, consistency: "1s", rest: {path: "/soft", items: "items", unique: "name"}, read: {http: path: "/soft/${id}", gone: "${body.deleted}"}}
	Softly: {inputs: name: string, rest: {path: "/soft", items: "items"}, read: {http: path: "/soft/${id}", gone: "${body.deleted}"}
		find: {http: path: "/soft", return: "${find(body.items, .name == inputs.name and not .deleted)}"}}
	Blind: {inputs: name: string, consistency: "1s", rest: {path: "/soft", items: "items"}, read: {http: path: "/soft/${id}", gone: "${body.deleted}"}
		find: {http: path: "/soft", return: "${find(body.items, .name == inputs.name + '!' and not .deleted)}"}}
	Half: {
		inputs: name: string @replace()
		id: "${inputs.name}"
		find: http: path: "/half/${inputs.name}"
		create: steps: [{http: {method: "PUT", path: "/half/${inputs.name}", json: "${inputs}"}}, {http: {method: "PUT", path: "/refusing/${inputs.name}", json: "${inputs}"}}]
		read: http: path: "/half/${id}"
		delete: http: {method: "DELETE", path: "/half/${id}"}
	}
	Refused: {inputs: name: string, rest: {path: "/refusing", idempotencyKey: true}}
	Unfindable: {inputs: name: string, rest: {path: "/plain", unique: "name", find: "GET /refusing"}}
	Unready: {
		inputs: name: string @replace()
		id: "${inputs.name}"
		find: http: path: "/half/${inputs.name}"
		create: steps: [{http: path: "/refusing"}, {http: {method: "PUT", path: "/half/${inputs.name}", json: "${inputs}"}}]
		read: http: path: "/half/${id}"
		delete: http: {method: "DELETE", path: "/half/${id}"}
	}
	Elsewhere: {inputs: name: string, rest: {path: "/plain", idempotencyKey: true}, import: "${inputs.name}/${id}", read: http: path: "/upper/${id}"}
}
`

// toys is a server whose collections have habits that a spec must know of.
type toys struct {
	mu      sync.Mutex
	objects map[string]map[string]any // by path
	next    int
}

func (s *toys) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	habit := strings.Split(r.URL.Path, "/")[1]
	if habit == "refusing" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	sent := map[string]any{}
	_ = json.NewDecoder(r.Body).Decode(&sent)
	switch r.Method {
	case "POST":
		if habit == "exclusive" && s.holds(r.URL.Path) {
			w.WriteHeader(http.StatusConflict)
			return
		}
		s.next++
		sent["id"] = s.next
		if habit == "soft" {
			sent["deleted"] = false
		}
		text, _ := json.Marshal(s.next)
		s.objects[r.URL.Path+"/"+string(text)] = sent
		if habit == "summaries" {
			reply(w, sent)
			return
		}
		reply(w, shown(habit, sent))
		return
	case "PUT":
		s.objects[r.URL.Path] = sent
		reply(w, sent)
		return
	case "PATCH":
		object, ok := s.objects[r.URL.Path]
		for name, v := range sent {
			if v == nil {
				delete(object, name)
			} else if ok && habit != "deaf" {
				object[name] = v
			}
		}
		if habit == "coupled" && sent["name"] != nil && sent["size"] == nil {
			object["size"] = 1
		}
	case "DELETE":
		switch habit {
		case "immortal":
		case "soft":
			s.objects[r.URL.Path]["deleted"] = true
		default:
			delete(s.objects, r.URL.Path)
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if r.URL.Path == "/listed" || r.URL.Path == "/soft" || r.URL.Path == "/summaries" {
		items := []any{}
		for at, object := range s.objects {
			if strings.HasPrefix(at, r.URL.Path+"/") {
				items = append(items, shown(habit, object))
			}
		}
		reply(w, map[string]any{"items": items})
		return
	}
	if found, ok := s.objects[r.URL.Path]; ok {
		reply(w, shown(habit, found))
		return
	}
	w.WriteHeader(http.StatusNotFound)
}

// holds reports whether a collection has an object.
func (s *toys) holds(collection string) bool {
	for at := range s.objects {
		if path.Dir(at) == collection {
			return true
		}
	}
	return false
}

// shown returns an object as the server shows it.
func shown(habit string, object map[string]any) map[string]any {
	object = maps.Clone(object)
	switch habit {
	case "summaries":
		object["ref"] = object["id"]
		delete(object, "id")
	case "hiding":
		delete(object, "secret")
	case "filling":
		if object["size"] == nil {
			object["size"] = 7
		}
	case "sorting":
		tags := slices.Clone(object["tags"].([]any))
		slices.SortFunc(tags, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		object["tags"] = tags
	case "upper":
		object["name"] = strings.ToUpper(object["name"].(string))
	}
	return object
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// TestTryFindings checks which findings a trial has, and that the next up would change
// something in exactly these cases.
func TestTryFindings(t *testing.T) {
	server := httptest.NewServer(&toys{objects: map[string]map[string]any{}})
	t.Cleanup(server.Close)
	dir := layOut(t, map[string]string{"toys.cue": strings.Replace(toySpec, "ADDRESS", server.URL, 1)})
	binary := built(t)
	tests := map[string]struct {
		args     string
		findings []string // "code: remedy"
	}{
		"nothing":                                {args: "Plain name=a --then name=b --then name=c"},
		"an object that may be shown late":       {args: "Late name=a"}, // after the delete, read looks for it for that long
		"a required input":                       {args: "Hiding name=a secret=s3cr3t-s3cr3t", findings: []string{"refresh-warns: each refresh", "not-read: @noRead()"}},
		"a declared one":                         {args: "Hidden name=a secret=s3cr3t-s3cr3t --then secret=s3cr3t-2"},
		"an optional input":                      {args: "Optional name=a secret=s3cr3t", findings: []string{"not-read: @noRead()"}},
		"an absent input":                        {args: "Optional name=a"},
		"a value that is chosen":                 {args: "Filling name=a", findings: []string{"filled-in: outputs"}},
		"a value that is removed":                {args: "Filling name=a size=3 --then size:=null", findings: []string{"filled-in: *7 | "}},
		"a declared choice":                      {args: "Filled name=a --then size=3 --then size:=null"},
		"an import that checks refuse":           {args: "Clashing name=seven", findings: []string{"import-invalid: return"}},
		"an import that checks allow":            {args: "Clashing name=six --then size=3"},
		"an import that a type refuses":          {args: "Narrow name=a", findings: []string{"import-invalid: return"}},
		"an import that a program completes":     {args: "Kept name=a secret=s3cr3t size=7"},
		"another order":                          {args: `Sorting name=a tags:=["b","a"]`, findings: []string{"read-differs: @set()"}},
		"each update":                            {args: "Upper name=a --then name=b --then name=C", findings: []string{"read-differs: @equal(fold)", "read-differs: @equal(fold)"}},
		"an update of another":                   {args: "Named name=a --then size=2 --then size=3", findings: []string{"read-differs: @normalised()"}},
		"a lost response":                        {args: "Listed name=lost --lose-response --then name=found"},
		"what find lacks":                        {args: "Summarized name=lost --lose-response", findings: []string{"lost-response: find"}},
		"a value that is reset":                  {args: "Coupled name=a size=3 --then name=b", findings: []string{"changed-by-update: pick(inputs, 'size')"}},
		"a declared other value":                 {args: "Renamed name=a --then name=b"},
		"an update without effect":               {args: "Deaf name=a --then name=b", findings: []string{"not-applied: @replace()"}},
		"two at the same time":                   {args: "Exclusive name=a --then name=b", findings: []string{"replacement-refused: deleteBeforeReplace"}},
		"one after the other":                    {args: "Successive name=a --then name=b"},
		"an immortal object":                     {args: "Immortal name=a", findings: []string{"not-deleted: until"}},
		"a find that finds nothing":              {args: "Blind name=unseen", findings: []string{"not-found-by-find: would be sent again"}},
		"a find that finds nothing after a loss": {args: "Blind name=unheard --lose-response", findings: []string{"not-found-by-find: would be sent again"}},
		"an object that is kept":                 {args: "Soft name=a", findings: []string{"found-after-delete: by the condition in the `gone` of read"}},
		"one that find leaves out":               {args: "Softly name=b"},
		"a read of something else":               {args: "Elsewhere name=a", findings: []string{"not-found-after-create: ", "not-deleted: Look in the service"}},
	}
	finding := regexp.MustCompile(`(?m)^ {8}error\[(.*?)\]: .*\n {8}(.*)$`)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := command(t, binary, append([]string{"try", "toys.cue"}, strings.Fields(test.args)...)...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			code := 0
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				code = exit.ExitCode()
			}
			if want := min(len(test.findings), 1); code != want {
				t.Errorf("exit code %d, want %d", code, want)
			}
			var codes, wanted []string
			for i, found := range finding.FindAllStringSubmatch(string(out), -1) {
				codes = append(codes, found[1])
				if i < len(test.findings) {
					want, remedy, _ := strings.Cut(test.findings[i], ": ")
					if wanted = append(wanted, want); !strings.Contains(found[2], remedy) {
						t.Errorf("the remedy %q lacks %q", found[2], remedy)
					}
				}
			}
			if diff := cmp.Diff(wanted, codes); diff != "" || len(codes) != len(test.findings) {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(string(out), "s3cr3t-s3cr3t") {
				t.Error("the output shows the secret")
			}
			if t.Failed() {
				t.Logf("%s:\n%s", filepath.Join(dir, "toys.cue"), out)
			}
		})
	}
}

// TestTryFailedCreate checks what a trial says of a create that fails: an object that was half made is
// gone after its delete, and no response was lost where none of a step with an effect has come.
func TestTryFailedCreate(t *testing.T) {
	server := httptest.NewServer(&toys{objects: map[string]map[string]any{}})
	t.Cleanup(server.Close)
	dir := layOut(t, map[string]string{"toys.cue": strings.Replace(toySpec, "ADDRESS", server.URL, 1)})
	binary := built(t)
	for args, want := range map[string]struct{ has, lacks string }{
		"Half name=h":                       {has: "gone", lacks: "not-deleted"},
		"Half name=lost --lose-response":    {has: "gone", lacks: "not-deleted"},
		"Refused name=a --lose-response":    {has: "400", lacks: "lost"},
		"Unfindable name=a --lose-response": {has: "400", lacks: "lost"},
		"Unready name=a --lose-response":    {has: "400", lacks: "lost"},
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			cmd := command(t, binary, append([]string{"try", "toys.cue"}, strings.Fields(args)...)...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			text := string(out)
			if err == nil || !strings.Contains(text, want.has) || strings.Contains(text, want.lacks) || strings.Count(text, "stopped halfway") > 1 {
				t.Errorf("expected %q and not %q: %v\n%s", want.has, want.lacks, err, text)
			}
		})
	}
}

const tracedSpec = `name: "traced"
version: "0.1.0"
config: key: *"s3cr3t-s3cr3t" | string @secret()
http: {baseURL: "ADDRESS", auth: login: {http: {method: "POST", path: "/plain", json: key: "${config.key}"}, token: "${body.key}"}}
exec: sandbox: "off"
permissions: {hosts: ["ADDRESS"], write: ["out/**"], run: ["/bin/sh"]}
resources: Toy: {
	inputs: {name: string}
	id: "${steps.main.body.id}"
	create: steps: [
		{as: "main", http: {method: "POST", path: "/plain", query: by: "a b", json: "${inputs}", idempotencyKey: true, auth: apiKey: {query: "key", value: "${config.key}"}}},
		{file: write: {path: "out/x", content: "${config.key}", overwrite: true}},
		{exec: {shell: "echo $KEY; exit 7", env: KEY: "${config.key}", exitCodes: ok: [7]}},
	]
	read: http: path: "/plain/${id}"
	delete: http: {method: "DELETE", path: "/plain/${id}"}
}
`

// TestTryUpdateNotFound checks that the remedy for an update that is answered by 404 depends on
// whether the object is still there.
func TestTryUpdateNotFound(t *testing.T) {
	server := httptest.NewServer(&toys{objects: map[string]map[string]any{}})
	t.Cleanup(server.Close)
	cmd := command(t, built(t), "try", "toys.cue", "NoRoute", "name=a", "--then", "name=b")
	cmd.Dir = layOut(t, map[string]string{"toys.cue": strings.Replace(toySpec, "ADDRESS", server.URL, 1)})
	out, err := cmd.Output()
	if text := string(out); err == nil || !strings.Contains(text, "read still finds the object") || strings.Contains(text, "pulumi refresh") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestTrySoftDelete checks what a create says of an object that find finds and read calls gone.
func TestTrySoftDelete(t *testing.T) {
	kept := map[string]any{"id": 7, "name": "a", "deleted": true}
	server := httptest.NewServer(&toys{objects: map[string]map[string]any{"/soft/7": kept}})
	t.Cleanup(server.Close)
	cmd := command(t, built(t), "try", "toys.cue", "Soft", "name=a")
	cmd.Dir = layOut(t, map[string]string{"toys.cue": strings.Replace(toySpec, "ADDRESS", server.URL, 1)})
	out, err := cmd.Output()
	if text := string(out); err == nil || !strings.Contains(text, `its id is "7"`) || !strings.Contains(text, "read says that it is gone") || strings.Contains(text, "import it") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestTryTrace checks that a trace contains each request (also that of a login), command and
// file operation in order, and no secret.
func TestTryTrace(t *testing.T) {
	server := httptest.NewServer(&toys{objects: map[string]map[string]any{}})
	t.Cleanup(server.Close)
	cmd := command(t, built(t), "try", "traced.cue", "Toy", "name=a", "--trace")
	cmd.Dir = layOut(t, map[string]string{"traced.cue": strings.ReplaceAll(tracedSpec, "ADDRESS", server.URL)})
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if out, err := cmd.Output(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	took := regexp.MustCompile(` \([0-9.]+[µm]?s\)$`)
	var got []string
	for line := range strings.Lines(stderr.String()) {
		line = strings.TrimSuffix(line, "\n")
		if !took.MatchString(line) {
			t.Errorf("%q has no duration", line)
		}
		got = append(got, strings.ReplaceAll(took.ReplaceAllString(line, ""), server.URL, "…"))
	}
	want := []string{
		`create, step 1 ("main"): POST …/plain?by=a%20b -> 200 OK`,
		`create, step 2: file.write path=out/x -> done`,
		`create, step 3: /bin/sh -c "echo $KEY; exit 7" -> exit code 7`,
		`read, step 1: POST …/plain -> 200 OK`, // the login
		`read, step 1: GET …/plain/1 -> 200 OK`,
		`read, step 1: GET …/plain/1 -> 200 OK`, // by the import
		`delete, step 1: DELETE …/plain/1 -> 204 No Content`,
		`read, step 1: GET …/plain/1 -> 404 Not Found`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
