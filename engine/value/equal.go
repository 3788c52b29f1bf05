package value

import (
	"maps"
	"math"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/spec/decode"
)

// PlainEqual compares values regardless of whether they are secret. Null members are
// equal to absent ones.
func PlainEqual(a, b property.Value) bool {
	switch {
	case a.IsMap() && b.IsMap():
		return !slices.ContainsFunc(Keys(a.AsMap(), b.AsMap()), func(name string) bool {
			return !PlainEqual(a.AsMap().Get(name), b.AsMap().Get(name))
		})
	case a.IsArray() && b.IsArray():
		if a.AsArray().Len() != b.AsArray().Len() {
			return false
		}
		for i, v := range a.AsArray().All {
			if !PlainEqual(v, b.AsArray().Get(i)) {
				return false
			}
		}
		return true
	case a.IsAsset() && b.IsAsset():
		return contentOf(fileOfAsset(a.AsAsset())) == contentOf(fileOfAsset(b.AsAsset()))
	case a.IsArchive() && b.IsArchive():
		return contentOf(fileOfArchive(a.AsArchive())) == contentOf(fileOfArchive(b.AsArchive()))
	default:
		return a.WithSecret(false).WithDependencies(nil).Equals(b.WithSecret(false).WithDependencies(nil))
	}
}

// WithoutSecrecy returns a value of which nothing is secret.
func WithoutSecrecy(v property.Value) property.Value {
	switch {
	case !v.HasSecrets():
		return v
	case v.IsMap():
		members := v.AsMap().AsMap()
		for name, member := range members {
			members[name] = WithoutSecrecy(member)
		}
		return property.WithGoValue(v, property.NewMap(members)).WithSecret(false)
	case v.IsArray():
		items := v.AsArray().AsSlice()
		for i, item := range items {
			items[i] = WithoutSecrecy(item)
		}
		return property.WithGoValue(v, property.NewArray(items)).WithSecret(false)
	default:
		return v.WithSecret(false)
	}
}

// EqualJSON reports whether two JSON texts have the same value. It returns false if
// they have more than most values in total.
func EqualJSON(a, b string, most int) bool {
	values := decode.NewBudget(most)
	x, err := decode.JSON([]byte(a), values)
	if err != nil {
		return false
	}
	y, err := decode.JSON([]byte(b), values)
	return err == nil && sameJSON(x, y)
}

// sameJSON compares decoded values. It compares numbers exactly.
func sameJSON(a, b any) bool {
	switch x := a.(type) {
	case int64:
		if y, ok := b.(float64); ok {
			return sameNumber(x, y)
		}
	case float64:
		if y, ok := b.(int64); ok {
			return sameNumber(y, x)
		}
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, sameJSON)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, sameJSON)
	}
	return a == b
}

// sameNumber reports whether an integer and a float are equal.
func sameNumber(i int64, f float64) bool {
	return math.Abs(f) < 1<<63 && f == math.Trunc(f) && int64(f) == i
}
