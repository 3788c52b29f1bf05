package container_test

import (
	"encoding/json"
	"fmt"
	"reflect"

	"pgregory.net/rapid"

	"github.com/declprov/declprov/spec"
)

// filler fills values of the model based on their Go types, so that new fields are
// covered by the round trip without further work.
type filler struct {
	t     *rapid.T
	depth int
}

func (f *filler) fill(v reflect.Value) {
	f.depth++
	defer func() { f.depth-- }()
	few := rapid.IntRange(0, max(0, 3-f.depth/4))
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(f.t, "bool"))
	case reflect.Int:
		v.SetInt(int64(rapid.IntRange(-2, 90_000).Draw(f.t, "int")))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Uint8().Draw(f.t, "uint")))
	case reflect.String:
		v.SetString(rapid.String().Draw(f.t, "string"))
	case reflect.Pointer:
		if few.Draw(f.t, "set") > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
		}
	case reflect.Slice:
		if n := few.Draw(f.t, "len"); n > 0 || rapid.Bool().Draw(f.t, "empty, not nil") {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				f.fill(v.Index(i))
			}
		}
	case reflect.Map:
		f.fillMap(v, few.Draw(f.t, "len"))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" { // such fields are only for vet
				f.fill(v.Field(i))
			}
		}
	case reflect.Interface:
		if lit := f.literal(); lit != nil {
			v.Set(reflect.ValueOf(lit))
		}
	default:
		f.t.Fatalf("no values for %s", v.Type())
	}
}

func (f *filler) fillMap(v reflect.Value, n int) {
	if n == 0 {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range n {
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key)
		f.fill(elem)
		v.SetMapIndex(key, elem)
	}
}

func (f *filler) literal() any {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?`)
	switch rapid.IntRange(0, 5).Draw(f.t, "literal") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(f.t, "bool")
	case 2:
		return rapid.String().Draw(f.t, "string")
	case 3:
		return json.Number(number.Draw(f.t, "number"))
	case 4:
		list := []any{}
		for range rapid.IntRange(0, 2).Draw(f.t, "len") {
			list = append(list, f.literal())
		}
		return list
	default:
		m := map[string]any{}
		for range rapid.IntRange(0, 2).Draw(f.t, "len") {
			m[rapid.String().Draw(f.t, "key")] = f.literal()
		}
		return m
	}
}

func anyProvider(t *rapid.T) *spec.Provider {
	p := &spec.Provider{}
	f := &filler{t: t}
	f.fill(reflect.ValueOf(p).Elem())
	p.Resources = nil
	for i := range rapid.IntRange(0, 3).Draw(t, "resources") {
		r := &spec.Resource{}
		f.fill(reflect.ValueOf(r).Elem())
		r.Name = fmt.Sprint(r.Name, i)
		p.Resources = append(p.Resources, r)
	}
	return p
}
