// Package openapi starts providers from OpenAPI documents, as `declprov init --openapi` does: from documents of real APIs, and from generated
// ones, whose API a server here plays.
package openapi

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// member is a member of the objects of an API.
type member struct {
	name string
	// schema is its schema without the keywords below.
	schema             map[string]any
	required, nullable bool
	readOnly, hidden   bool
	// values are values that it may have, at least two.
	values []any
}

// api is an API with objects of one kind, and how it differs from others.
type api struct {
	version string // 2.0, 3.0.3 or 3.1.0
	// path is the path of the collection, with a parameter if it has a parent.
	path, parent string
	id           string // the member that is the id
	named        bool   // the program chooses the id
	number       bool   // the id is a number
	put          bool   // PUT creates
	update       string // PATCH, PUT or none
	wrap         string // the member of bodies and responses that has the object
	items        string // the member of the list
	end          string // how paths end: with a slash, or a format
	shared       bool   // one schema for what is sent and received
	basePath     string
	style        string // where operations are
	fills        bool   // the API chooses the values of what the program does not set
	madeAs       string // the only member of the response to a create, which is the id, or ""
	form         string // "" if bodies are JSON; "repeat" or "brackets" if they are forms with lists and maps by that rule
	members      []member
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// generate returns an API.
func generate(r *rand.Rand) *api {
	a := &api{
		version: pick(r, "2.0", "3.0.3", "3.1.0"), path: pick(r, "/pets", "/api/v2/stock-items", "/user_groups"),
		id: pick(r, "id", "uuid"), number: r.IntN(2) == 0, update: pick(r, "PATCH", "PATCH", "PUT", "none"),
		wrap: pick(r, "", "", "data"), end: pick(r, "/", "", "", ".json"), basePath: pick(r, "", "/base"),
	}
	if r.IntN(3) == 0 {
		a.parent = pick(r, "owner", "store_id", "id")
		a.path = "/owners/{" + a.parent + "}" + a.path
	}
	if r.IntN(3) == 0 {
		a.named, a.number, a.id, a.wrap = true, false, "name", ""
		a.put = r.IntN(2) == 0 && a.update != "PATCH"
		if a.put {
			a.update = "PUT"
		}
	}
	a.items = a.wrap
	if a.wrap == "" {
		a.items = pick(r, "", "results")
	}
	a.shared = r.IntN(2) == 0 && !a.named
	a.fills = r.IntN(2) == 0
	if a.style = pick(r, restStyle, restStyle, verbStyle, pluralStyle, colonStyle); a.style != restStyle {
		a.end = ""
		if a.put && a.style == verbStyle {
			a.style = restStyle
		}
	}
	if !a.named && a.wrap == "" && r.IntN(4) == 0 {
		a.madeAs = "thing_" + a.id
	}
	convert := pick(r, snake, camel, pascal)
	kinds := []func(name string) member{
		func(n string) member {
			return member{name: n, schema: map[string]any{"type": "string"}, values: []any{"a", "b \"c\""}}
		},
		func(n string) member {
			return member{name: n, schema: map[string]any{"type": "string", "format": "date-time"}, values: []any{"2030-01-02T03:04:05Z", "2031-01-02T03:04:05Z"}}
		},
		func(n string) member {
			return member{name: n, schema: map[string]any{"type": "integer", "minimum": 1}, values: []any{1.0, 7.0}}
		},
		func(n string) member {
			return member{name: n, schema: map[string]any{"type": "number"}, values: []any{0.5, 2.0}}
		},
		func(n string) member {
			return member{name: n, schema: map[string]any{"type": "boolean"}, values: []any{true, false}}
		},
		func(n string) member {
			return member{name: n, schema: map[string]any{"type": "string", "enum": []any{"x | y", "z", "${w}"}}, values: []any{"x | y", "${w}"}}
		},
		func(n string) member {
			return member{name: n, schema: map[string]any{"type": "array", "items": map[string]any{"type": "string"}}, values: []any{[]any{"p"}, []any{"q", "p"}}}
		},
		func(n string) member {
			inner := map[string]any{"type": "object", "required": []any{convert("first_name")}, "properties": map[string]any{
				convert("first_name"): map[string]any{"type": "string"}, convert("last_size"): map[string]any{"type": "integer"},
			}}
			return member{name: n, schema: inner, values: []any{map[string]any{convert("first_name"): "k"}, map[string]any{convert("first_name"): "l", convert("last_size"): 3.0}}}
		},
		func(n string) member {
			return member{name: n, schema: map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}, values: []any{map[string]any{"K_k": "v"}, map[string]any{"odd-Key": "w"}}}
		},
	}
	for i := range 3 + r.IntN(4) {
		m := pick(r, kinds...)(convert(fmt.Sprintf("%s_%s", pick(r, "first", "big", "new"), string(rune('a'+i))+"size")))
		switch r.IntN(6) {
		case 0, 1:
			m.required = true
		case 2:
			m.nullable = a.version != "2.0"
		case 3:
			m.readOnly = true
		case 4:
			m.hidden = m.schema["type"] == "string" && m.schema["enum"] == nil && a.version != "2.0"
		}
		a.members = append(a.members, m)
	}
	a.members = append(a.members, member{name: convert("must_have"), schema: map[string]any{"type": "string"}, required: true, values: []any{"m", "n"}})
	if a.named {
		a.members = append(a.members, member{name: a.id, schema: map[string]any{"type": "string"}, required: !a.put, values: []any{"chosen", "chosen"}})
	}
	if r.IntN(4) == 0 && a.wrap == "" {
		a.form = "repeat"
		for _, m := range a.members {
			if m.schema["type"] == "object" {
				a.form = "brackets"
			}
		}
	}
	return a
}

func snake(name string) string { return name }

func camel(name string) string {
	out := pascal(name)
	return strings.ToLower(out[:1]) + out[1:]
}

func pascal(name string) string {
	out := ""
	for word := range strings.SplitSeq(name, "_") {
		out += strings.ToUpper(word[:1]) + word[1:]
	}
	return out
}

// schema returns the schema of the objects as they are sent or shown.
func (a *api) schema(shown bool) map[string]any {
	properties, required := map[string]any{}, []any{}
	for _, m := range a.members {
		s := map[string]any{}
		for k, v := range m.schema {
			s[k] = v
		}
		switch {
		case m.readOnly && !shown && !a.shared, m.hidden && shown && !a.shared:
			continue
		case m.readOnly:
			s["readOnly"] = true
		case m.hidden:
			s["writeOnly"] = true
		}
		if m.nullable && a.version == "3.1.0" {
			s["type"] = []any{s["type"], "null"}
		} else if m.nullable {
			s["nullable"] = true
		}
		if m.required || m.readOnly && shown || a.fills && shown && !a.shared && m.fillable() {
			required = append(required, m.name)
		}
		properties[m.name] = s
	}
	if !a.named && (shown || a.shared) {
		kind := "string"
		if a.number {
			kind = "integer"
		}
		properties[a.id] = map[string]any{"type": kind, "readOnly": true}
		required = append(required, a.id)
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// document returns the OpenAPI document.
func (a *api) document(host string) map[string]any {
	in := func(schema map[string]any) map[string]any {
		if a.wrap == "" {
			return schema
		}
		return map[string]any{"type": "object", "required": []any{a.wrap}, "properties": map[string]any{a.wrap: schema}}
	}
	list := map[string]any{"type": "array", "items": a.schema(true)}
	if a.items != "" {
		list = map[string]any{"type": "object", "properties": map[string]any{a.items: list}}
	}
	old := a.version == "2.0"
	response := func(schema map[string]any) map[string]any {
		if old {
			return map[string]any{"description": "ok", "schema": schema}
		}
		return map[string]any{"description": "ok", "content": map[string]any{"application/json": map[string]any{"schema": schema}}}
	}
	operation := func(status string, body, shown map[string]any) map[string]any {
		op := map[string]any{"responses": map[string]any{status: map[string]any{"description": "done"}}}
		if shown != nil {
			op["responses"] = map[string]any{status: response(shown)}
		}
		if body != nil && a.form != "" {
			a.sends(op, body)
		} else if body != nil && old {
			op["parameters"] = []any{map[string]any{"name": "body", "in": "body", "schema": body}}
		} else if body != nil {
			op["requestBody"] = map[string]any{"content": map[string]any{"application/json": map[string]any{"schema": body}}}
		}
		return op
	}
	collection := map[string]any{"get": operation("200", nil, list)}
	item := map[string]any{"get": operation("200", nil, in(a.schema(true))), "delete": operation("204", nil, nil)}
	if a.put {
		item["put"] = operation("201", in(a.schema(false)), in(a.schema(true)))
	} else {
		made := in(a.schema(true))
		if a.madeAs != "" {
			kind := "string"
			if a.number {
				kind = "integer"
			}
			made = map[string]any{"type": "object", "properties": map[string]any{a.madeAs: map[string]any{"type": kind}}}
		}
		collection["post"] = operation("201", in(a.schema(false)), made)
		if a.update != "none" {
			item[strings.ToLower(a.update)] = operation("200", in(a.schema(false)), in(a.schema(true)))
		}
	}
	kind := map[string]any{"schema": map[string]any{"type": "string"}}
	if old {
		kind = map[string]any{"type": "string"}
	}
	parameter := func(name string) map[string]any {
		out := map[string]any{"name": name, "in": "path", "required": true}
		for k, v := range kind {
			out[k] = v
		}
		return out
	}
	last := "thing_" + a.id
	item["parameters"] = []any{parameter(last)}
	if a.parent != "" {
		collection["parameters"] = []any{parameter(a.parent)}
		item["parameters"] = []any{parameter(a.parent), parameter(last)}
	}
	paths := map[string]any{}
	a.place(paths, collection, item, a.path+a.end, a.object(last)+a.end)
	out := map[string]any{"info": map[string]any{"title": "generated", "version": "1"}, "paths": paths}
	if old {
		out["swagger"], out["host"], out["schemes"] = "2.0", host, []any{"http"}
		if a.basePath != "" {
			out["basePath"] = a.basePath
		}
	} else {
		out["openapi"], out["servers"] = a.version, []any{map[string]any{"url": "http://" + host + a.basePath}}
	}
	return out
}

// server plays the API.
type server struct {
	*api
	mu      sync.Mutex
	objects map[string]map[string]any // by their paths
	count   int
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, ok := strings.CutPrefix(r.URL.Path, s.basePath)
	path, ends := strings.CutSuffix(path, s.end)
	if !ok || !ends || strings.HasSuffix(path, "/") {
		http.Error(w, "no such path", http.StatusNotFound)
		return
	}
	r.Method, path = s.plain(r.Method, path)
	if strings.Count(path, "/") == strings.Count(s.path, "/") {
		s.collection(w, r, path)
		return
	}
	s.object(w, r, path)
}

func (s *server) collection(w http.ResponseWriter, r *http.Request, path string) {
	switch {
	case r.Method == http.MethodGet:
		list := []any{}
		for at, o := range s.objects {
			if strings.HasPrefix(at, path+"/") {
				list = append(list, s.shown(o))
			}
		}
		if s.items == "" {
			reply(w, http.StatusOK, list)
			return
		}
		reply(w, http.StatusOK, map[string]any{s.items: list})
	case r.Method == http.MethodPost && !s.put:
		o, fault := s.received(r, true)
		if fault != "" {
			http.Error(w, fault, http.StatusBadRequest)
			return
		}
		s.count++
		id := any(fmt.Sprint("x", s.count))
		if s.number {
			id = float64(s.count)
		}
		if s.named {
			id = o[s.id]
		} else {
			o[s.id] = id
		}
		s.objects[path+"/"+text(id)] = o
		if s.madeAs != "" {
			reply(w, http.StatusCreated, map[string]any{s.madeAs: id})
			return
		}
		s.reply(w, http.StatusCreated, o)
	default:
		http.Error(w, "no such method", http.StatusMethodNotAllowed)
	}
}

func text(id any) string {
	if n, ok := id.(float64); ok {
		return strconv.Itoa(int(n))
	}
	return fmt.Sprint(id)
}

func (s *server) object(w http.ResponseWriter, r *http.Request, path string) {
	o := s.objects[path]
	switch {
	case o == nil && !(s.put && r.Method == http.MethodPut):
		http.Error(w, "no such object", http.StatusNotFound)
	case r.Method == http.MethodGet:
		s.reply(w, http.StatusOK, o)
	case r.Method == http.MethodDelete:
		delete(s.objects, path)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == s.update:
		next, fault := s.received(r, r.Method == http.MethodPut)
		if fault != "" {
			http.Error(w, fault, http.StatusBadRequest)
			return
		}
		merged := map[string]any{}
		if r.Method == http.MethodPatch {
			for k, v := range o {
				merged[k] = v
			}
		}
		for k, v := range next {
			merged[k] = v
		}
		merged[s.id] = o[s.id]
		if s.named {
			merged[s.id] = path[strings.LastIndex(path, "/")+1:]
		}
		s.objects[path] = merged
		s.reply(w, http.StatusOK, merged)
	default:
		http.Error(w, "no such method", http.StatusMethodNotAllowed)
	}
}

// received returns the object in a request, or what is wrong with it.
func (s *server) received(r *http.Request, whole bool) (map[string]any, string) {
	body, err := s.decode(r)
	if err != nil {
		return nil, err.Error()
	}
	if s.wrap != "" {
		inner, ok := body[s.wrap].(map[string]any)
		if !ok || len(body) != 1 {
			return nil, fmt.Sprintf("expected the member %s only", s.wrap)
		}
		body = inner
	}
	known := map[string]member{}
	for _, m := range s.members {
		known[m.name] = m
		if whole && m.required && body[m.name] == nil {
			return nil, "missing " + m.name
		}
	}
	for name := range body {
		if m, ok := known[name]; !ok || m.readOnly {
			return nil, "unexpected " + name
		}
	}
	s.fill(body, whole)
	return body, ""
}

// shown returns an object as the API shows it.
func (s *server) shown(o map[string]any) map[string]any {
	out := map[string]any{s.id: o[s.id]}
	for _, m := range s.members {
		switch {
		case m.hidden:
		case m.readOnly:
			out[m.name] = m.values[0]
		case o[m.name] != nil:
			out[m.name] = o[m.name]
		case m.nullable:
			out[m.name] = nil
		}
	}
	return out
}

func (s *server) reply(w http.ResponseWriter, status int, o map[string]any) {
	if s.wrap == "" {
		reply(w, status, s.shown(o))
		return
	}
	reply(w, status, map[string]any{s.wrap: s.shown(o)})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
