package openapi

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// The styles of paths: those of the guide, a path for each operation, and the object at the singular of the path of the list.
const (
	restStyle   = ""
	verbStyle   = "verbs"
	pluralStyle = "plural"
	colonStyle  = "colon"
)

// object returns the path of an object of the document.
func (a *api) object(last string) string {
	switch a.style {
	case pluralStyle:
		return strings.TrimSuffix(a.path, "s") + "/{" + last + "}"
	case colonStyle:
		return a.path + "/:" + last
	default:
		return a.path + "/{" + last + "}"
	}
}

// sends changes an operation so that its body is a form: in version 2.0 its members are parameters.
func (a *api) sends(op map[string]any, body map[string]any) {
	if a.version != "2.0" {
		encoding := map[string]any{}
		for _, m := range a.members {
			if s := m.schema; a.form == "brackets" && (s["type"] == "object" || s["type"] == "array") {
				encoding[m.name] = map[string]any{"style": "deepObject", "explode": true}
			}
		}
		op["requestBody"] = map[string]any{"content": map[string]any{"application/x-www-form-urlencoded": map[string]any{"schema": body, "encoding": encoding}}}
		return
	}
	required, _ := body["required"].([]any)
	var parameters []any
	for name, schema := range body["properties"].(map[string]any) {
		p := map[string]any{"name": name, "in": "formData", "required": slices.Contains(required, any(name))}
		maps.Copy(p, schema.(map[string]any))
		parameters = append(parameters, p)
	}
	op["parameters"] = parameters
}

// decode reads the body of a request: JSON, or a form whose texts it converts to the types of the members.
func (s *server) decode(r *http.Request) (body map[string]any, err error) {
	isForm := r.Header.Get("Content-Type") == "application/x-www-form-urlencoded"
	if isForm != (s.form != "") {
		return nil, fmt.Errorf("the body has the type %q", r.Header.Get("Content-Type"))
	}
	if !isForm {
		return body, json.NewDecoder(r.Body).Decode(&body)
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	values, err := url.ParseQuery(string(text))
	body = map[string]any{}
	for name, texts := range values {
		name, within, nested := strings.Cut(name, "[")
		within = strings.TrimSuffix(within, "]")
		schema := map[string]any{}
		for _, m := range s.members {
			if m.name == name {
				schema = m.schema
			}
		}
		switch {
		case len(texts) == 1 && texts[0] == "" && !nested:
			body[name] = nil
		case schema["type"] == "array":
			var list []any
			for _, text := range texts {
				list = append(list, text)
			}
			body[name] = list
		case nested:
			inner, _ := schema["properties"].(map[string]any)
			of, _ := inner[within].(map[string]any)
			members, _ := body[name].(map[string]any)
			if members == nil {
				members = map[string]any{}
			}
			members[within] = typed(texts[0], of)
			body[name] = members
		default:
			body[name] = typed(texts[0], schema)
		}
	}
	return body, err
}

// typed converts a text of a form to the type of a schema.
func typed(text string, schema map[string]any) any {
	switch schema["type"] {
	case "integer", "number", "boolean":
		var v any
		if err := json.Unmarshal([]byte(text), &v); err == nil {
			return v
		}
	}
	return text
}

// place adds the operations of the collection and of an object to the paths of a document.
func (a *api) place(paths map[string]any, collection, item map[string]any, path, object string) {
	if a.style != verbStyle {
		paths[path], paths[object] = collection, item
		return
	}
	for _, of := range []struct {
		at         string
		operations map[string]any
		verbs      map[string][2]string
	}{
		{path, collection, map[string][2]string{"post": {"post", "/create"}, "get": {"get", "/list"}}},
		{object, item, map[string][2]string{"get": {"get", "/info"}, "delete": {"post", "/delete"}, "put": {"put", "/update"}, "patch": {"patch", "/update"}}},
	} {
		for method, to := range of.verbs {
			if o := of.operations[method]; o != nil {
				paths[of.at+to[1]] = map[string]any{to[0]: o, "parameters": of.operations["parameters"]}
			}
		}
		// What the document says of the path itself is not an operation of the object.
		paths[of.at] = map[string]any{"parameters": of.operations["parameters"]}
	}
}

// plain returns the method and path of a request of an API of the usual style that means the same.
func (a *api) plain(method, path string) (string, string) {
	switch a.style {
	case verbStyle:
		at := strings.LastIndex(path, "/")
		if verb := path[at+1:]; verb == "delete" && method == http.MethodPost {
			return http.MethodDelete, path[:at]
		}
		return method, path[:at]
	case pluralStyle:
		if at := strings.LastIndex(path, "/"); strings.Count(path, "/") > strings.Count(a.path, "/") {
			return method, path[:at] + "s" + path[at:]
		}
	}
	return method, path
}

// fill adds what the program has not set and the API chooses, and writes times in the form of the API.
func (a *api) fill(o map[string]any, whole bool) {
	for _, m := range a.members {
		if s, ok := o[m.name].(string); ok && m.schema["format"] == "date-time" {
			o[m.name] = strings.TrimSuffix(s, "Z") + ".000+00:00"
		}
		if a.fills && whole && m.fillable() && o[m.name] == nil {
			o[m.name] = m.values[1]
		}
	}
}

// fillable reports whether an API may choose the value of a member: what may be null, or is a list or a map, is null or empty instead.
func (m member) fillable() bool {
	return !m.required && !m.nullable && !m.readOnly && !m.hidden && m.schema["type"] != "array" && m.schema["additionalProperties"] == nil
}
