package engine_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// canned is a server of canned responses, "200 {…}", by method and URL: of several the
// next one each time, and the last one from there on. "lost" ends the connection.
type canned struct {
	mu  sync.Mutex
	on  map[string][]string
	log []string
	url string
}

func serve(t *testing.T, on map[string][]string) *canned {
	t.Helper()
	c := &canned{on: on}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func (c *canned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	key := r.Method + " " + r.URL.RequestURI()
	c.log = append(c.log, strings.TrimSpace(key+" "+string(body)))
	answers := c.on[key]
	if len(answers) > 1 {
		c.on[key] = answers[1:]
	}
	c.mu.Unlock()
	switch {
	case len(answers) == 0:
		w.WriteHeader(http.StatusNotFound)
		return
	case answers[0] == "lost":
		panic(http.ErrAbortHandler)
	}
	status, text, _ := strings.Cut(answers[0], " ")
	code := 0
	_, _ = fmt.Sscan(status, &code)
	w.Header().Set("Content-Type", "application/json")
	if strings.HasPrefix(text, "<") {
		w.Header().Set("Content-Type", "application/xml")
	}
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text)
}

// asked are the requests, in order.
func (c *canned) asked() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log
}

// engine is that of a spec whose requests go to the server.
func (c *canned) engine(t *testing.T, text string) *engine.Engine {
	t.Helper()
	w := newWorld()
	w.journal = t.TempDir()
	e, _ := w.engineWith(t, "config: endpoint: string\nhttp: baseURL: \"${config.endpoint}\"\n"+text, object("endpoint", property.New(c.url)))
	return e
}

const ofPets = `
wire: "snake_case"
#Pet: {petId: int @wire(id), fullName: string, ownerName?: string, isTame: *true | bool}
#Pets: {thePets: [...#Pet] @wire(data.pets), nextPage?: null | string}
#Chips: thePets: [...{petId: int @wire(id), chipCode?: string @secret()}] @wire(data.pets)
`

func petPages() map[string][]string {
	return map[string][]string{
		"GET /pets":         {`200 {"data": {"pets": [{"id": 1, "full_name": "Ada", "chip_code": "hush-hush", "colour": "red"}]}, "next_page": "x"}`},
		"GET /pets?after=x": {`200 {"data": {"pets": [{"id": 2, "full_name": "Bob", "owner_name": "Cy", "is_tame": false}]}}`},
	}
}

const petPaging = `http: {path: "/pets", returns: #Pets, items: "${body.thePets}", paginate: cursor: {param: "after", next: "${body.nextPage}"}}`

// What says where the items and the next page are, and all that is said of the items,
// sees the names that the spec declares, with the defaults and secrets of their types.
func TestPagesSeeDeclaredNames(t *testing.T) {
	server := serve(t, petPages())
	e := server.engine(t, ofPets+`
functions: pets: {
	outputs: {
		all: [...#Pet], names: [...string], owner: string, tame: [...string], without: [...{petId: int, ...}]
		picked: [...{fullName: string}], keys: [...string], known: [...bool], grouped: [...string]
	}
	`+petPaging+`
	return: {
		all: "${result.items}", names: "${map(result.items, #.fullName)}", owner: "${find(result.items, #.petId == 2)?.ownerName ?? ''}"
		tame: "${map(filter(result.items, .isTame), .fullName)}", without: "${map(result.items, omit(#, 'fullName', 'isTame'))}"
		picked: "${map(result.items, pick(#, 'fullName'))}", keys: "${sort(keys(result.items[1]))}", known: "${map(result.items, 'ownerName' in #)}"
		grouped: "${sort(keys(groupBy(result.items, .fullName)))}"
	}
}`)
	out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "pets"})
	if err != nil {
		t.Fatal(err)
	}
	want := object(
		"all", []any{object("petId", 1, "fullName", "Ada", "isTame", true), object("petId", 2, "fullName", "Bob", "ownerName", "Cy", "isTame", false)},
		"names", []any{"Ada", "Bob"}, "owner", "Cy", "tame", []any{"Ada"},
		"without", []any{object("petId", 1), object("petId", 2, "ownerName", "Cy")},
		"picked", []any{object("fullName", "Ada"), object("fullName", "Bob")}, "keys", []any{"fullName", "isTame", "ownerName", "petId"},
		"known", []any{false, true}, "grouped", []any{"Ada", "Bob"},
	)
	if diff := cmp.Diff(want, out.Return, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of what comes in pages, too, what is declared secret is.
func TestPagesKeepSecrets(t *testing.T) {
	server := serve(t, petPages())
	e := server.engine(t, ofPets+`
functions: chips: {
	outputs: {all: [...{petId: int, chipCode?: string @secret()}], codes: [...string] @secret()}
	http: {path: "/pets", returns: #Chips, items: "${body.thePets}"}
	return: {all: "${result.items}", codes: "${map(filter(result.items, 'chipCode' in #), .chipCode ?? '')}"}
}`)
	out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "chips"})
	want := object("all", []any{object("petId", 1, "chipCode", secret("hush-hush"))}, "codes", secret([]any{secret("hush-hush")}))
	if diff := cmp.Diff(want, out.Return, values); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A listing, its items and what is said of each see declared names.
func TestListsSeeDeclaredNames(t *testing.T) {
	server := serve(t, petPages())
	e := server.engine(t, ofPets+`resources: Pet: {
	inputs: fullName: string
	id: "${inputs.fullName}"
	create: http: {method: "POST", path: "/pets", json: "${inputs}", idempotencyKey: true}
	list: {`+petPaging+`, items: "${filter(result.items, 'ownerName' in #)}", id: "${each.value.petId}", name: "${each.value.fullName}"}
}`)
	var got []engine.Listed
	for one, err := range e.List(t.Context(), engine.ListRequest{Ref: ref("Pet")}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, one)
	}
	if diff := cmp.Diff([]engine.Listed{{ID: "2", Name: "Bob"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A page that is not of the declared type is none: nothing is asked for after it.
func TestPagesThatDoNotFit(t *testing.T) {
	pages := petPages()
	pages["GET /pets?after=x"] = []string{`200 {"data": {"pets": [{"full_name": "Bob"}]}, "next_page": "y"}`}
	server := serve(t, pages)
	e := server.engine(t, ofPets+"functions: pets: {outputs: all: [...#Pet]\n"+petPaging+"\nreturn: all: \"${result.items}\"}")
	_, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "pets"})
	var misfit *engine.MisfitError
	if !errors.As(err, &misfit) || misfit.Path != "body.thePets[0].petId" || misfit.Wire != "body.data.pets[0].id" {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff([]string{"GET /pets", "GET /pets?after=x"}, server.asked()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A failure is of no declared type. What of it fits is known by its declared name, all
// of it by that on the wire.
func TestFailuresSeeDeclaredNames(t *testing.T) {
	const answer = `{"error_message": "bad", "reason_code": 7, "is_busy": true}`
	for name, tc := range map[string]struct{ status, step, want string }{
		"error":              {"422", `http: {path: "/x", returns: #Answer, error: "${body.errorMessage}"}`, "422 Unprocessable Entity: bad"},
		"on the wire":        {"422", `http: {path: "/x", returns: #Answer, error: "${body.error_message} ${result.body.reason_code}"}`, "422 Unprocessable Entity: bad 7"},
		"of another kind":    {"422", `http: {path: "/x", returns: #Answer, error: "${body.reasonCode}"}`, `422 Unprocessable Entity: 7`},
		"refused":            {"500", `http: {path: "/x", returns: #Answer}, refused: "${body.errorMessage}"`, "http: bad"},
		"gone":               {"500", `http: {path: "/x", returns: #Answer}, gone: "${body.errorMessage == 'bad'}"`, "it is gone"},
		"retry.if":           {"500", `http: {path: "/x", returns: #Answer}, retry: {if: "${body.isBusy ?? false}", attempts: 2, backoff: "1ms"}`, "attempt 2: "},
		"fail":               {"200", `http: {path: "/x", returns: #Answer}, fail: "${body.errorMessage}"`, "http: bad"},
		"until":              {"200", `http: {path: "/x", returns: #Answer}, until: "${body.errorMessage != 'bad'}", every: "1ms", timeout: "20ms"`, "the poll took longer"},
		"of a graphql error": {"200", `http: {path: "/x", returns: #Answer, graphql: query: "{error_message}", error: "${body.errorMessage} ${errors[0].message}"}`, "reports errors: bad worse"},
		"of a command": {
			"", `exec: {shell: "printf '{\"error_message\": \"bad\"}'; exit 3", interpreter: ["/bin/sh", "-c"], stdout: "json", effect: "none", returns: #Answer, error: "${stdout.errorMessage}"}`,
			"exit code 3: bad",
		},
		"a refusing command": {
			"", `exec: {shell: "printf '{\"error_message\": \"bad\"}'; exit 3", interpreter: ["/bin/sh", "-c"], stdout: "json", effect: "none", returns: #Answer}, refused: "${result.stdout.errorMessage}"`,
			"exec: bad",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ofGraphQL := `{"errors": [{"message": "worse"}], "data": ` + answer + "}"
			server := serve(t, map[string][]string{"GET /x": {tc.status + " " + answer}, "POST /x": {tc.status + " " + ofGraphQL}})
			e := server.engine(t, ofPets+"#Answer: {errorMessage?: string, reasonCode?: string, isBusy?: bool, neededOne?: [...string]}\n"+
				"functions: ask: {outputs: x?: string\n"+tc.step+"\nreturn: x: \"\"}")
			_, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "ask"})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%q is expected: %v", tc.want, err)
			}
		})
	}
}

const foundPets = ofPets + `resources: Pet: {
	inputs: fullName: string
	outputs: {petId: int, isTame: bool}
	id: "p${body.petId}"
	consistency: "0s"
	FIND
	create: http: {method: "POST", path: "/pets", json: "${inputs}", returns: #Pet}
	delete: http: {method: "DELETE", path: "/pets/${id}"}
}`

// What find gives stands for a response that was lost, so it is of that response's
// type, and nothing else is taken over.
func TestFindsAreOfTheType(t *testing.T) {
	const untyped = `find: {http: path: "/pets", return: "${find(body.all, #.full_name == inputs.fullName)}"}`
	const typed = `find: {http: {path: "/pets", returns: #Found}, return: "${find(body.all, #.fullName == inputs.fullName)}"}
	#Found: all: [...#Pet]`
	for name, tc := range map[string]struct {
		find, found string
		id, unlike  string
	}{
		"untyped":          {untyped, `{"id": 7, "full_name": "Ada"}`, "p7", ""},
		"typed":            {typed, `{"id": 7, "full_name": "Ada"}`, "p7", ""},
		"of another kind":  {untyped, `{"id": "seven", "full_name": "Ada"}`, "", "body.petId (on the wire body.id): expected an int, got a string"},
		"a member missing": {untyped, `{"full_name": "Ada"}`, "", "body.petId (on the wire body.id): expected an int, got nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, map[string][]string{
				"GET /pets": {`200 {"all": []}`, `200 {"all": [` + tc.found + `]}`}, "POST /pets": {"lost"},
			})
			find, definition, _ := strings.Cut(tc.find, "#Found:")
			text := strings.Replace(foundPets, "FIND", find, 1)
			if definition != "" {
				text += "\n#Found:" + definition
			}
			e := server.engine(t, text)
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: object("fullName", "Ada")})
			switch {
			case tc.unlike == "":
				if out.Err != nil || out.State == nil || out.State.ID != tc.id || !out.State.Outputs.Get("isTame").AsBool() {
					t.Errorf("%+v", out)
				}
			case out.State != nil || out.Err == nil || !strings.Contains(out.Err.Error(), tc.unlike):
				t.Errorf("%q is expected: %+v", tc.unlike, out)
			}
		})
	}
}

// That something is there is enough to refuse a create, whatever it is.
func TestWhatIsFoundFirstNeedNotFit(t *testing.T) {
	server := serve(t, map[string][]string{"GET /pets": {`200 {"all": [{"id": "seven", "full_name": "Ada"}]}`}})
	e := server.engine(t, strings.Replace(foundPets, "FIND", `find: {http: path: "/pets", return: "${find(body.all, #.full_name == inputs.fullName)}"}`, 1))
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Pet"), Inputs: object("fullName", "Ada")})
	if out.State != nil || out.Err == nil || !strings.Contains(out.Err.Error(), "it exists already") {
		t.Errorf("%+v", out)
	}
}

// vet knows when find can never give what the create returns.
func TestFindsOfAnotherType(t *testing.T) {
	for find, code := range map[string]string{
		`find: http: {path: "/one", returns: #Pet}`:   "",
		`find: http: path: "/one"`:                    "",
		`find: http: {path: "/one", returns: #Other}`: "type-mismatch",
		`find: {http: {path: "/all", returns: #Pets}, return: "${find(body.thePets, #.petId == 1)}"}`:           "",
		`find: {http: {path: "/all", returns: #Pets}, return: "${find(body.thePets, #.petId == 1)?.fullName}"}`: "type-mismatch",
		`find: {http: {path: "/one", returns: #Other}, return: {petId: 3, fullName: "${body.fullName}"}}`:       "",
		`find: {http: {path: "/one", returns: #Other}, return: {fullName: "${body.fullName}"}}`:                 "type-mismatch",
	} {
		_, diags := newWorld().compile(t, "http: baseURL: \"https://pets.example.com\"\n#Other: {id: int, fullName: string}\n"+strings.Replace(foundPets, "FIND", find, 1))
		got := ""
		for _, d := range diags {
			if d.Code == "type-mismatch" {
				got = d.Code
			}
		}
		if got != code || code == "" && diags.HasErrors() {
			t.Errorf("%s: %q, not %q: %+v", find, got, code, diags)
		}
	}
}
