package pulumi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// convergingServer is an API with one object.
type convergingServer struct {
	of *converging

	mu     sync.Mutex
	object map[string]any // nil before the create
	sent   []convergingRequest
}

// convergingRequest is a request that changes the object.
type convergingRequest struct {
	method string
	body   map[string]any
}

func (s *convergingServer) serve() *httptest.Server { return httptest.NewServer(s) }

// requests returns the requests since the last call.
func (s *convergingServer) requests() []convergingRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.sent
	s.sent = nil
	return sent
}

func (s *convergingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var body map[string]any
	if r.Method != http.MethodGet && r.Method != http.MethodDelete {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if !s.unwrap(body) {
			http.Error(w, "the items of a list are not in objects", http.StatusBadRequest)
			return
		}
		s.sent = append(s.sent, convergingRequest{r.Method, body})
	}
	if r.Method != http.MethodPost && s.object == nil {
		http.Error(w, "{}", http.StatusNotFound)
		return
	}
	status := http.StatusOK
	switch r.Method {
	case http.MethodPost:
		s.object, status = clone(body).(map[string]any), http.StatusCreated
	case http.MethodPut:
		s.object = clone(body).(map[string]any)
	case http.MethodPatch:
		if s.of.update == "merge" {
			mergePatch(s.object, body)
		} else {
			s.patch(body)
		}
	case http.MethodDelete:
		s.object = nil
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.object["id"] = "t1"
	for _, m := range s.of.members {
		m.keep(s.of.rule, s.object)
	}
	response := s.object
	if s.of.silent && r.Method != http.MethodGet {
		response = map[string]any{"id": "t1"}
		if s.of.typed && r.Method == http.MethodPost {
			response = s.object // the response of a create has the declared type
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(s.shown(response))
}

// unwrap takes the items of lists out of the objects that a request has them in. It returns false for what
// the server does not accept.
func (s *convergingServer) unwrap(body map[string]any) bool {
	for _, m := range s.of.members {
		list, isList := at(body, m.wire)
		if want, got := convergingKinds[m.kind].onWire, kindOnWire(list); want != "" && got != "" && got != want {
			return false
		}
		if m.item == nil || !isList || list == nil {
			continue
		}
		var items []any
		for _, object := range list.([]any) {
			members, ok := object.(map[string]any)
			item, found := at(members, m.item)
			if !ok || !found || len(members) != 1 {
				return false
			}
			items = append(items, item)
		}
		put(body, m.wire, append([]any{}, items...))
	}
	return true
}

// kindOnWire returns the type of the scalars that are in a value.
func kindOnWire(v any) string {
	kind := ""
	actions.EachScalar(v, func(v any) {
		switch v.(type) {
		case float64:
			kind = "int"
		case string:
			kind = "string"
		case bool:
			kind = "bool"
		}
	})
	return kind
}

// onWire returns a value of a kind with the scalars that the server has.
func onWire(kind string, v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		list := []any{}
		for _, item := range v {
			list = append(list, onWire(kind, item))
		}
		return list
	case map[string]any:
		out := map[string]any{}
		for name, item := range v {
			out[name] = onWire(kind, item)
		}
		return out
	}
	switch text := fmt.Sprint(v); {
	case kind == "string":
		return text
	case kind == "int" && (v == true || v == false):
		return map[any]int{true: 1, false: 0}[v]
	case kind == "int":
		return json.Number(text)
	default:
		return v
	}
}

// patch sets the members that a body has, and removes those that are null and may not be.
func (s *convergingServer) patch(body map[string]any) {
	for _, m := range s.of.members {
		v, ok := at(body, m.wire)
		switch {
		case !ok:
		case v == nil && !m.nullable:
			remove(s.object, m.wire)
		default:
			put(s.object, m.wire, v)
		}
	}
}

// shown is the object as a response has it.
func (s *convergingServer) shown(object map[string]any) map[string]any {
	if object["id"] == nil || len(object) == 1 {
		return object
	}
	out := clone(object).(map[string]any)
	for _, m := range s.of.members {
		v, ok := at(out, m.wire)
		switch {
		case m.habit != empties:
		case !ok && (m.kind == "list" || m.kind == "ids"):
			put(out, m.wire, []any{})
		case !ok:
			put(out, m.wire, map[string]any{})
		case isEmpty(v):
			remove(out, m.wire)
		}
		if v, _ := at(out, m.wire); m.item != nil && v != nil {
			objects := []any{}
			for i, item := range v.([]any) {
				object := map[string]any{"key": i}
				put(object, m.item, item)
				objects = append(objects, object)
			}
			put(out, m.wire, objects)
		}
	}
	return out
}

// keep makes of a member what the server keeps.
func (m *convergingMember) keep(rule string, object map[string]any) {
	v, ok := at(object, m.wire)
	switch {
	case ok && v == nil && !m.nullable:
		remove(object, m.wire)
		m.keep(rule, object)
	case ok && m.habit == raises:
		put(object, m.wire, strings.ToUpper(v.(string)))
	case !ok && m.habit == fills:
		put(object, m.wire, clone(onWire(convergingKinds[m.kind].onWire, wireValues(rule, convergingKinds[m.kind].values[0]))))
	case ok && m.habit == sorts && v != nil:
		items := slices.Clone(v.([]any))
		slices.SortFunc(items, func(a, b any) int { return strings.Compare(jsonText(a), jsonText(b)) })
		put(object, m.wire, items)
	}
}

func jsonText(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// wireValues is a value as the server fills it in: only its scalars have names of their own.
func wireValues(rule string, v any) any {
	switch part, _ := v.(map[string]any); {
	case part["partName"] != nil:
		return map[string]any{"pn": part["partName"]}
	case part["kind"] != nil:
		return map[string]any{spec.WireName(rule, "kind"): "square"}
	default:
		return v
	}
}

func isEmpty(v any) bool {
	value := reflect.ValueOf(v)
	return v == nil || (value.Kind() == reflect.Slice || value.Kind() == reflect.Map) && value.Len() == 0
}

// clone copies a JSON value.
func clone(v any) any {
	var out any
	if err := json.Unmarshal([]byte(jsonText(v)), &out); err != nil {
		panic(err) // a test's own mistake
	}
	return out
}

func at(object map[string]any, path []string) (any, bool) {
	for _, name := range path[:len(path)-1] {
		inner, ok := object[name].(map[string]any)
		if !ok {
			return nil, false
		}
		object = inner
	}
	v, ok := object[path[len(path)-1]]
	return v, ok
}

func put(object map[string]any, path []string, v any) {
	for _, name := range path[:len(path)-1] {
		inner, ok := object[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[name] = inner
		}
		object = inner
	}
	object[path[len(path)-1]] = v
}

func remove(object map[string]any, path []string) {
	for _, name := range path[:len(path)-1] {
		inner, ok := object[name].(map[string]any)
		if !ok {
			return
		}
		object = inner
	}
	delete(object, path[len(path)-1])
}

// mergePatch applies a patch by RFC 7396.
func mergePatch(object, patch map[string]any) {
	for name, v := range maps.All(patch) {
		switch inner, ok := v.(map[string]any); {
		case v == nil:
			delete(object, name)
		case !ok:
			object[name] = v
		default:
			of, ok := object[name].(map[string]any)
			if !ok {
				of = map[string]any{}
			}
			mergePatch(of, inner)
			object[name] = of
		}
	}
}
