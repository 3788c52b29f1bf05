package functions

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"

	"github.com/declprov/declprov/spec/expr/eval"
)

// encodingFunctions convert values to text and back.
func encodingFunctions() []*Function {
	return []*Function{
		def(eval.Metered, "jsonencode(v: any?, indent?: int) string", "The value as JSON with sorted keys, compact or indented by `indent` spaces.", `jsonencode({b: 1, a: [true]})`, `"{\"a\":[true],\"b\":1}"`, fnJSONEncode),
		def(eval.Metered, "jsondecode(s: string) any", "The value of a JSON text. Numbers keep all digits.", `jsondecode("{\"a\": 1}").a`, `1`, fnJSONDecode),
		def(eval.Metered, "toJSON(v: any?) string", "The value as JSON, indented by two spaces.", `toJSON([1])`, `"[\n  1\n]"`, func(r *eval.Run, a args) (any, error) { return EncodeJSON(r, a[0], "  ") }),
		def(eval.Metered, "fromJSON(s: string) any", "As jsondecode.", `fromJSON("[1]")`, `[1]`, fnJSONDecode),
		def(eval.Metered, "yamlencode(v: any?) string", "The value as YAML with sorted keys.", `yamlencode({b: 1, a: "x"})`, `"a: x\nb: 1\n"`, fnYAMLEncode),
		def(eval.Metered, "yamldecode(s: string) any", "The value of a YAML text with a single document.", `yamldecode("a: [1, x]")`, `{"a":[1,"x"]}`, fnYAMLDecode),
		def(eval.OfTextTimes(2), "base64encode(v: any) string", "A scalar as a string, or any other value as JSON, in base64.", `base64encode("a?")`, `"YT8="`, fnBase64Encode),
		def(eval.OfTextTimes(4), "base64decode(s: string) string", "The decoded text. The base64 may be standard or URL-safe, with or without padding.", `base64decode("YT8")`, `"a?"`, fnBase64Decode),
		def(eval.OfTextTimes(2), "toBase64(s: string) string", "As base64encode.", `toBase64("a")`, `"YQ=="`, nil).runs(func(r *eval.Run, a []any) (any, error) { return fnBase64Encode(r, a) }),
		def(eval.OfTextTimes(4), "fromBase64(s: string) string", "As base64decode.", `fromBase64("YQ==")`, `"a"`, fnBase64Decode),
		def(eval.OfTextTimes(2), "base64urlencode(v: any) string", "As base64encode, with the URL-safe alphabet and without padding.", `base64urlencode("a?>")`, `"YT8-"`, fnBase64URLEncode),
		def(eval.OfTextTimes(4), "base64urldecode(s: string) string", "As base64decode.", `base64urldecode("YT8-")`, `"a?>"`, fnBase64Decode),
		def(eval.OfTextTimes(3), "hex(s: string) string", "The bytes of the text, in hex.", `hex("a?")`, `"613f"`, fnHex),
		def(eval.OfTextTimes(2), "unhex(s: string) string", "The bytes that the hex stands for. They need not be UTF-8: `base64encode(unhex(hmac(\"sha256\", key, s)))` is an HMAC in base64.", `unhex("613f")`, `"a?"`, fnUnhex),
		def(eval.OfTextTimes(4), "urlencode(s: any) string", "A scalar as a string, escaped for use as one segment or value in a URL.", `urlencode("a b/c")`, `"a%20b%2Fc"`, fnURLEncode),
		def(eval.OfTextTimes(3), "urldecode(s: string) string", "The text without the escapes of a URL. A plus sign stays a plus sign.", `urldecode("a%20b%2Fc+d")`, `"a b/c+d"`, fnURLDecode),
		def(eval.OfTextTimes(4), "segmentOf(url: string?, base: string, path: string) string?", "The segment of `url` that stands in the place of `*` in `path`, without escapes. `path` is relative to the URL `base`. Null if `url` is null, or has another origin or path; its query does not matter.", `segmentOf("https://x.test/pets/a%2Fb", "https://x.test/pets", "pets/*")`, `"a/b"`, fnSegmentOf),
	}
}

func fnJSONEncode(r *eval.Run, a args) (any, error) {
	n := a.whole(1, 0)
	if n < 0 || n > 16 {
		return nil, eval.Faultf("jsonencode can indent by 0 to 16 spaces, not %s", eval.Quote(n))
	}
	return EncodeJSON(r, a[0], strings.Repeat(" ", int(n)))
}

func fnJSONDecode(r *eval.Run, a args) (any, error) {
	s := a.text(0)
	return decodeJSON(r, s)
}

func fnYAMLEncode(r *eval.Run, a args) (any, error) { return encodeYAML(r, a[0]) }

func fnYAMLDecode(r *eval.Run, a args) (any, error) {
	s := a.text(0)
	return decodeYAML(r, s)
}

// textOrJSON returns a scalar as a string, and any other value as JSON.
func textOrJSON(r *eval.Run, v any) (string, error) {
	switch v.(type) {
	case []any, map[string]any:
		return EncodeJSON(r, v, "")
	}
	return eval.ScalarText(v)
}

func fnBase64Encode(r *eval.Run, a args) (any, error) { return encodeBase64(base64.StdEncoding, r, a) }

func fnBase64URLEncode(r *eval.Run, a args) (any, error) {
	return encodeBase64(base64.RawURLEncoding, r, a)
}

func encodeBase64(encoding *base64.Encoding, r *eval.Run, a args) (any, error) {
	s, err := textOrJSON(r, a[0])
	if err != nil {
		return nil, err
	}
	if err := r.Grow(encoding.EncodedLen(len(s))); err != nil {
		return nil, err
	}
	return encoding.EncodeToString([]byte(s)), nil
}

func fnBase64Decode(r *eval.Run, a args) (any, error) {
	s := a.text(0)
	if err := r.Grow(len(s)); err != nil {
		return nil, err
	}
	plain := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "").Replace(s), "=")
	text, err := base64.RawStdEncoding.DecodeString(plain)
	if err != nil {
		return nil, eval.Faultf("invalid base64: %s", eval.Quote(s))
	}
	return string(text), nil
}

func fnHex(r *eval.Run, a args) (any, error) {
	s := a.text(0)
	if err := r.Grow(hex.EncodedLen(len(s))); err != nil {
		return nil, err
	}
	return hex.EncodeToString([]byte(s)), nil
}

func fnUnhex(r *eval.Run, a args) (any, error) {
	s := a.text(0)
	if err := r.Grow(hex.DecodedLen(len(s))); err != nil {
		return nil, err
	}
	bytes, err := hex.DecodeString(s)
	if err != nil {
		return nil, eval.Faultf("invalid hex: %s", eval.Quote(s))
	}
	return string(bytes), nil
}

func fnURLDecode(r *eval.Run, a args) (any, error) {
	s := a.text(0)
	if err := r.Grow(len(s)); err != nil {
		return nil, err
	}
	text, err := url.PathUnescape(s)
	if err != nil {
		return nil, eval.Faultf("invalid escape of a URL: %s", eval.Quote(s))
	}
	return text, nil
}

func fnURLEncode(r *eval.Run, a args) (any, error) {
	s, err := eval.ScalarText(a[0])
	if err != nil {
		return nil, err
	}
	if err := r.Grow(3 * len(s)); err != nil {
		return nil, err
	}
	// QueryEscape escapes all characters except letters, digits and -_.~, and space
	// becomes +.
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20"), nil
}
