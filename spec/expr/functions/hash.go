package functions

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"io"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/types"
)

// hashFunctions returns digests in hexadecimal. MD5 and SHA-1 exist for services that
// require them, and not for security.
func hashFunctions() []*Function {
	return []*Function{
		def(eval.OfTextTimes(2), "sha256(s: string|asset) string", "The SHA-256 of the text or of the content of an asset, in hex.", `sha256("")`, `"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`, contentDigest(sha256.New)),
		def(eval.OfTextTimes(2), "sha512(s: string) string", "The SHA-512 of the text, in hex.", `len(sha512(""))`, `128`, digest(sha512.New)),
		def(eval.OfTextTimes(2), "sha1(s: string) string", "The SHA-1 of the text, in hex.", `sha1("")`, `"da39a3ee5e6b4b0d3255bfef95601890afd80709"`, digest(sha1.New)),
		def(eval.OfTextTimes(2), "md5(s: string|asset) string", "The MD5 of the text or of the content of an asset, in hex.", `md5("")`, `"d41d8cd98f00b204e9800998ecf8427e"`, contentDigest(md5.New)),
		def(eval.OfText, "size(s: string|asset) int", "The size of the text in UTF-8, or of the content of an asset, in bytes.", `size("é")`, `2`, fnSize),
		def(eval.OfTextTimes(2), "hmac(alg: string, key: string, s: string) string", `The HMAC of the text, in hex; alg is "sha256", "sha512", "sha1" or "md5". The key and the text may be bytes, such as the result of unhex.`, `hmac("md5", "key", "text")`, `"d0ca6177c61c975fd2f8c07d8c6528c6"`, fnHMAC).withType(typeOfHMAC),
	}
}

func digest(algorithm func() hash.Hash) operation {
	return func(r *eval.Run, a args) (any, error) {
		s := a.text(0)
		return sum(algorithm(), s), r.Read(s)
	}
}

// contentDigest is digest for strings and assets. The SHA-256 of an asset is usually known: hosts
// record it.
func contentDigest(algorithm func() hash.Hash) operation {
	ofText := digest(algorithm)
	return func(r *eval.Run, a args) (any, error) {
		f, ok := a[0].(*spec.File)
		h := algorithm()
		switch {
		case !ok:
			return ofText(r, a)
		case f.Hash != "" && h.Size() == sha256.Size:
			return f.Hash, nil
		}
		if _, err := r.CopyAsset(h, f); err != nil {
			return nil, err
		}
		return hex.EncodeToString(h.Sum(nil)), nil
	}
}

func fnSize(r *eval.Run, a args) (any, error) {
	if f, ok := a[0].(*spec.File); ok {
		n, err := r.CopyAsset(io.Discard, f)
		return n, err
	}
	return int64(len(a.text(0))), nil
}

func sum(h hash.Hash, s string) string {
	// Writing to a hash never fails.
	_, _ = io.WriteString(h, s)
	return hex.EncodeToString(h.Sum(nil))
}

func algorithm(name string) func() hash.Hash {
	switch name {
	case "sha256":
		return sha256.New
	case "sha512":
		return sha512.New
	case "sha1":
		return sha1.New
	case "md5":
		return md5.New
	default:
		return nil
	}
}

func fnHMAC(r *eval.Run, a args) (any, error) {
	alg := algorithm(a.text(0))
	if alg == nil {
		return nil, eval.Faultf("hmac supports sha256, sha512, sha1 and md5, not %s", eval.Quote(a.text(0)))
	}
	return sum(hmac.New(alg, []byte(a.text(1))), a.text(2)), r.Read(a.text(2))
}

func typeOfHMAC(cl *check.Call) check.TypedPart {
	for _, lit := range types.Literals(types.Resolve(cl.Args[0].T, cl.Types)) {
		if name, _ := lit.(string); algorithm(name) == nil {
			cl.Fail(check.CodeWrongArgument, cl.Args[0].At, "", "hmac supports \"sha256\", \"sha512\", \"sha1\" and \"md5\", not %s", types.DescribeValue(lit))
		}
	}
	return check.TypedPart{T: &spec.Type{Kind: spec.String}}
}
