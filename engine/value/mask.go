package value

import (
	"strings"
	"unicode/utf8"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Unmask returns a value that an API has shown, with the recorded secrets in place of its masks, such as
// "******": many APIs show one where they have a secret. masked reports whether there is a mask. A mask for which
// nothing is recorded stays. Only a secret has masks: elsewhere, asterisks are a text as any other.
func Unmask(recorded, shown property.Value) (v property.Value, masked bool) {
	return unmask(recorded, shown, false)
}

func unmask(recorded, shown property.Value, secret bool) (v property.Value, masked bool) {
	secret = secret || shown.Secret() || recorded.Secret()
	if !secret && !shown.HasSecrets() && !recorded.HasSecrets() {
		return shown, false
	}
	switch {
	case shown.IsString():
		if !secret || !isMask(shown.AsString()) {
			return shown, false
		}
		if recorded.IsString() {
			return property.WithGoValue(shown, recorded.AsString()), true
		}
		return shown, true
	case shown.IsMap():
		return unmaskMembers(recorded, shown, secret)
	case shown.IsArray():
		return unmaskItems(recorded, shown, secret)
	}
	return shown, false
}

func unmaskMembers(recorded, shown property.Value, secret bool) (v property.Value, masked bool) {
	members, was := shown.AsMap().AsMap(), property.Map{}
	if recorded.IsMap() {
		was = recorded.AsMap()
	}
	for name, member := range members {
		is := false
		members[name], is = unmask(was.Get(name), member, secret)
		masked = masked || is
	}
	return property.WithGoValue(shown, property.NewMap(members)), masked
}

// unmaskItems takes the items of a list of the same length for those of the recorded one.
func unmaskItems(recorded, shown property.Value, secret bool) (v property.Value, masked bool) {
	items, was := shown.AsArray().AsSlice(), make([]property.Value, shown.AsArray().Len())
	if recorded.IsArray() && recorded.AsArray().Len() == len(items) {
		was = recorded.AsArray().AsSlice()
	}
	for i, item := range items {
		is := false
		items[i], is = unmask(was[i], item, secret)
		masked = masked || is
	}
	return property.WithGoValue(shown, property.NewArray(items)), masked
}

// Masks returns the names of the values that have a mask in place of a secret, sorted.
func Masks(values property.Map) (names []string) {
	for name, v := range values.AllStable {
		if _, masked := Unmask(property.New(property.Null), v); masked {
			names = append(names, name)
		}
	}
	return names
}

// isMask reports whether a text consists of at least three of the characters that stand for hidden ones.
func isMask(text string) bool {
	return utf8.RuneCountInString(text) >= 3 && (strings.Trim(text, "*") == "" || strings.Trim(text, "•") == "" || strings.Trim(text, "●") == "")
}
