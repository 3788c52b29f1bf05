package secrets

import (
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"google.golang.org/protobuf/types/known/structpb"
)

// needles are the parts of the secret by which any form of it is known, in lower case;
// inBase64 are those in base64, as they are.
var needles, inBase64 = func() (plain, coded []string) {
	for _, part := range []string{"Yk7Rw3Jd", "Zx9QmPf2"} {
		plain = append(plain, strings.ToLower(part), hex.EncodeToString([]byte(part)))
		for before := range 3 {
			code := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + part + "xx"))
			coded = append(coded, code[4:len(code)-4])
		}
	}
	return plain, coded
}()

// found is where a text shows the secret, in whatever form; "" where it does not.
func found(text string) string {
	lower := strings.ToLower(text)
	for _, needle := range needles {
		if i := strings.Index(lower, needle); i >= 0 {
			return around(lower, i)
		}
	}
	for _, code := range inBase64 {
		if i := strings.Index(text, code); i >= 0 {
			return around(text, i)
		}
	}
	return ""
}

func around(text string, i int) string {
	return "…" + text[max(0, i-80):min(len(text), i+60)] + "…"
}

// inClear are the texts of a value that are not secret, nor within what is.
func inClear(v *structpb.Value) string {
	var b strings.Builder
	var walk func(v *structpb.Value)
	walk = func(v *structpb.Value) {
		switch kind := v.GetKind().(type) {
		case *structpb.Value_StringValue:
			b.WriteString(kind.StringValue + "\n")
		case *structpb.Value_ListValue:
			for _, item := range kind.ListValue.GetValues() {
				walk(item)
			}
		case *structpb.Value_StructValue:
			fields := kind.StructValue.GetFields()
			if isSecret(v) {
				return
			}
			for name, item := range fields {
				b.WriteString(name + "\n")
				walk(item)
			}
		}
	}
	walk(v)
	return b.String()
}

// isSecret reports whether a value travels as a secret.
func isSecret(v *structpb.Value) bool {
	fields := v.GetStructValue().GetFields()
	switch fields[sig.Key].GetStringValue() {
	case sig.Secret:
		return true
	case sig.OutputValue:
		return fields["secret"].GetBoolValue()
	}
	return false
}
