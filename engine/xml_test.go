package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec"
)

const ofXML = `
wire: "kebab-case"
#Pet: {
	petName:  string
	petAge?:  int
	isTame:   *true | bool
	lang?:    string @wire("@lang")
	chipNo?:  string @wire(chip.no)
	nick?:    [...string]
	shape?:   {kind: 1, radius: number} | {kind: 2, side: string}
	owner?:   "none" | {fullName: string}
	notes?:   {[string]: string}
	anything?: _
}
#Reply: theList: {pet: [...#Pet], count: int} @wire("the-list")
functions: pets: {
	outputs: {pets: [...#Pet], count: int}
	http: {path: "/x", response: "xml", returns: #Reply}
	return: {pets: "${body.theList.pet}", count: "${body.theList.count}"}
}`

// XML becomes data of the declared type: one element where a list is declared is a list
// of one, text is a number where that is, and an empty element an object.
func TestXMLHasItsType(t *testing.T) {
	pet := func(kv ...any) property.Value {
		m := object(kv...)
		if _, given := m.GetOk("isTame"); !given {
			m = m.Set("isTame", property.New(true))
		}
		return property.New(m)
	}
	for name, tc := range map[string]struct {
		pets string
		want []any
		// misfit is the path and wire name of what does not fit.
		misfit string
	}{
		"none":                {"\n  ", []any{}, ""},
		"one":                 {"<pet><pet-name>Rex</pet-name></pet>", []any{pet("petName", "Rex")}, ""},
		"two":                 {"<pet><pet-name>Rex</pet-name></pet>\n<pet><pet-name/></pet>", []any{pet("petName", "Rex"), pet("petName", "")}, ""},
		"numbers":             {"<pet><pet-name>7</pet-name><pet-age> 7 </pet-age><is-tame>0</is-tame></pet>", []any{pet("petName", "7", "petAge", 7, "isTame", false)}, ""},
		"empty numbers":       {"<pet><pet-name>7</pet-name><pet-age/><is-tame></is-tame></pet>", []any{pet("petName", "7")}, ""},
		"nil":                 {`<pet xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><pet-name>7</pet-name><pet-age i:nil="true"/></pet>`, []any{pet("petName", "7")}, ""},
		"attributes":          {`<pet lang="de"><pet-name old="x">Rex</pet-name></pet>`, []any{pet("petName", "Rex", "lang", "de")}, ""},
		"a path":              {`<pet><pet-name>Rex</pet-name><chip><no>007</no></chip></pet>`, []any{pet("petName", "Rex", "chipNo", "007")}, ""},
		"one of a list":       {`<pet><pet-name>Rex</pet-name><nick>a</nick></pet>`, []any{pet("petName", "Rex", "nick", []any{"a"})}, ""},
		"a tag":               {`<pet><pet-name>Rex</pet-name><shape><kind>1</kind><radius>2.5</radius></shape></pet>`, []any{pet("petName", "Rex", "shape", object("kind", 1, "radius", 2.5))}, ""},
		"a word or a struct":  {`<pet><pet-name>a</pet-name><owner>none</owner></pet><pet><pet-name>b</pet-name><owner><full-name>Ada</full-name></owner></pet>`, []any{pet("petName", "a", "owner", "none"), pet("petName", "b", "owner", object("fullName", "Ada"))}, ""},
		"a map":               {`<pet><pet-name>a</pet-name><notes><aKey>v</aKey></notes></pet><pet><pet-name>b</pet-name><notes/></pet>`, []any{pet("petName", "a", "notes", object("aKey", "v")), pet("petName", "b", "notes", object())}, ""},
		"anything":            {`<pet><pet-name>a</pet-name><anything><x>1</x><x>2</x></anything></pet>`, []any{pet("petName", "a", "anything", object("x", []any{"1", "2"}))}, ""},
		"missing":             {"<pet/>", nil, `body.theList.pet[0].petName body["the-list"].pet[0]["pet-name"]`},
		"two where one is":    {"<pet><pet-name>a</pet-name><pet-name>b</pet-name></pet>", nil, "body.theList.pet[0].petName"},
		"no number":           {"<pet><pet-name>a</pet-name><pet-age>old</pet-age></pet>", nil, "body.theList.pet[0].petAge"},
		"text for an object":  {"<pet>Rex</pet>", nil, "body.theList.pet[0] "},
		"another tag":         {`<pet><pet-name>Rex</pet-name><shape><kind>3</kind></shape></pet>`, nil, "body.theList.pet[0].shape.kind"},
		"elements for a text": {`<pet><pet-name><b>Rex</b></pet-name></pet>`, nil, "body.theList.pet[0].petName"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, map[string][]string{"GET /x": {"200 <the-list>" + tc.pets + "<count>1</count></the-list>"}})
			out, err := server.engine(t, ofXML).Invoke(t.Context(), engine.InvokeRequest{Function: "pets"})
			if tc.misfit != "" {
				var misfit *engine.MisfitError
				if !errors.As(err, &misfit) || !strings.HasPrefix(misfit.Path+" "+misfit.Wire, tc.misfit) {
					t.Errorf("%v, %v", out.Return, err)
				}
				return
			}
			want := object("pets", tc.want, "count", 1)
			if diff := cmp.Diff(want, out.Return, values); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

const ofNamespaces = `
#Prop: {
	href?:  string @wire("{DAV:}href")
	other?: string @wire("{urn:x}href")
	plain?: string
	kind?:  string @wire("@{urn:x}kind")
}
#Reply: prop: #Prop @wire("{DAV:}prop")
functions: {
	ask: {
		outputs: prop: #Prop
		http: {path: "/x", response: "xml", returns: #Reply}
		return: prop: "${body.prop}"
	}
	untyped: {
		outputs: all: string
		http: path: "/x"
		return: all: "${jsonencode(body)}"
	}
	send: {
		inputs: prop: #Prop
		outputs: x?: string
		http: {method: "POST", effect: "none", path: "/send", xml: {"{DAV:}set": {inner: "${inputs.prop}"}}}
		return: x: ""
	}
}`

// Elements of two namespaces are two things, whatever their local names and whichever
// prefixes the server takes.
func TestNamespacesAreKeptApart(t *testing.T) {
	for name, tc := range map[string]struct {
		text    string
		want    property.Map
		untyped string
		misfit  string
	}{
		"both": {
			`<d:prop xmlns:d="DAV:" xmlns:e="urn:x" e:kind="k" kind="l"><d:href>1</d:href><e:href>2</e:href></d:prop>`, object("href", "1", "other", "2", "kind", "k"),
			`{"prop":{"@kind":"l","@{urn:x}kind":"k","{DAV:}href":"1","{urn:x}href":"2"}}`, "",
		},
		"other prefixes": {`<prop xmlns="DAV:" xmlns:q="urn:x"><q:href>2</q:href></prop>`, object("other", "2"), `{"prop":{"href":"2"}}`, ""},
		"neither":        {`<d:prop xmlns:d="DAV:" xmlns:e="urn:y"><e:href>3</e:href></d:prop>`, object(), `{"prop":{"href":"3"}}`, ""},
		"a local name":   {`<d:prop xmlns:d="DAV:"><d:plain>4</d:plain></d:prop>`, object("plain", "4"), `{"prop":{"plain":"4"}}`, ""},
		"an ambiguous local name": {
			`<d:prop xmlns:d="DAV:" xmlns:e="urn:y"><d:plain>4</d:plain><e:plain>5</e:plain></d:prop>`,
			property.Map{},
			`{"prop":{"{DAV:}plain":"4","{urn:y}plain":"5"}}`, `choose one: write @wire("{DAV:}plain")`,
		},
		"one of none":           {`<d:prop xmlns:d="DAV:"><d:plain>4</d:plain><plain>5</plain></d:prop>`, object("plain", "5"), `{"prop":{"plain":"5","{DAV:}plain":"4"}}`, ""},
		"a root of another one": {`<prop xmlns="urn:y"/>`, property.Map{}, `{"prop":""}`, `write @wire(prop)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, map[string][]string{"GET /x": {"200 " + tc.text}})
			e := server.engine(t, ofNamespaces)
			out, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "ask"})
			if tc.misfit != "" {
				if err == nil || !strings.Contains(err.Error(), tc.misfit) {
					t.Errorf("%q is expected: %v, %v", tc.misfit, out.Return, err)
				}
			} else if diff := cmp.Diff(object("prop", tc.want), out.Return, values); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			out, err = e.Invoke(t.Context(), engine.InvokeRequest{Function: "untyped"})
			if got := out.Return.Get("all"); err != nil || got.AsString() != tc.untyped {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

// What is sent has the namespaces of its names: an element without one is in that of
// the element around it.
func TestNamespacesAreSent(t *testing.T) {
	server := serve(t, map[string][]string{"POST /send": {"200 <ok/>"}})
	e := server.engine(t, ofNamespaces)
	_, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "send", Args: object("prop", object("href", "1", "other", "2", "plain", "3", "kind", "k"))})
	want := "POST /send <?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
		`<set xmlns="DAV:"><inner xmlns:n0="urn:x" n0:kind="k"><plain>3</plain><href>1</href><href xmlns="urn:x">2</href></inner></set>`
	if diff := cmp.Diff([]string{want}, server.asked()); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A failure in XML is known by its declared names, too.
func TestFailuresInXML(t *testing.T) {
	server := serve(t, map[string][]string{"GET /x": {`422 <d:prop xmlns:d="DAV:" xmlns:e="urn:x"><d:href>no</d:href><e:href>2</e:href></d:prop>`}})
	for expression, want := range map[string]string{"body.prop.href": "Entity: no", "body.prop['{urn:x}href']": "Entity: 2"} {
		e := server.engine(t, strings.Replace(ofNamespaces, "returns: #Reply", `returns: #Reply, error: "${`+expression+`}"`, 1))
		if _, err := e.Invoke(t.Context(), engine.InvokeRequest{Function: "ask"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

// The laws of responses hold for XML as well: what a request would write is read, by the declared
// type, as the value that was written; for what XML can say: no empty lists in
// lists, no null, and no white space of its own.
func TestXMLLaws(t *testing.T) {
	server := serve(t, map[string][]string{})
	rapid.Check(t, func(t *rapid.T) {
		g := &responseGen{types: spec.Types{}, ofSpec: rapid.SampledFrom(append([]string{""}, spec.WireRules...)).Draw(t, "rule of the spec"), xml: server.url}
		g.rule = g.ofSpec
		declared := g.object(t, 3)
		declared.Open = false
		root := &spec.Type{Kind: spec.Object, Fields: []*spec.Property{{Name: "root", Wire: "root", Type: declared, Required: true}}}
		g.types["Body"] = &spec.Named{Name: "Body", Type: root}
		came, want := g.value(t, declared, "body.root", "body.root")
		broken := g.breakOne(t)
		// Requests write XML in the same way.
		text, err := request.EncodeXML(map[string]any{"root": came})
		if err != nil {
			t.Fatal(err)
		}
		server.mu.Lock()
		server.on["GET /x"] = []string{"200 " + string(text)}
		server.mu.Unlock()
		out, err := g.engine(t, newWorld(), root).Invoke(t.Context(), engine.InvokeRequest{Function: "get"})
		var misfit *engine.MisfitError
		switch {
		case broken == nil && err != nil:
			t.Fatalf("%s\nis refused: %v", text, err)
		case broken == nil:
			if diff := cmp.Diff(object("root", want), out.Return, values); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", text, diff)
			}
		case !errors.As(err, &misfit):
			t.Fatalf("%s\n%s passes: %v, %v", text, broken.path, out.Return, err)
		case misfit.Path != broken.path || misfit.Wire != broken.wire || (misfit.Hint != "") != broken.hint:
			t.Fatalf("%s: %+v is told as %+v", text, broken, misfit)
		}
	})
}
