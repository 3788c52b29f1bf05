// Package reserved knows the keys and texts that hosts keep for themselves. Inside a
// value from outside they would act: a host reads an object with a signature key as
// an asset (a local file, a URL), a secret, a resource or an output, and a marker as a
// value that is not known yet.
package reserved

import "github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"

// Unknown is how Pulumi writes a value that is not known yet. Its protocol has a marker
// for each type; in practice its engine sends this one, the string's.
const Unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

// Key reports whether a member may not have that name: the signature key makes its
// object something else, and a marker is none for safety's sake.
func Key(name string) bool { return name == sig.Key || Text(name) }

// Text reports whether a text stands for a value that is not known yet: it is one of
// the markers of the SDK's common/resource/plugin/rpc.go.
func Text(s string) bool {
	if len(s) != len(Unknown) {
		return false
	}
	switch s {
	case Unknown,
		"1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // bool
		"3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
		"6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // array
		"030794c1-ac77-496b-92df-f27374a8bd58", // asset
		"e48ece36-62e2-4504-bad9-02848725956a", // archive
		"dd056dcd-154b-4c76-9bd3-c8f88648b5ff": // object
		return true
	}
	return false
}

// Why a key or a text cannot be recorded, for messages.
const (
	KeyReason  = "it has a member by whose name (" + sig.Key + ", or a marker of unknown values) Pulumi tells assets, secrets and resources from data"
	TextReason = "it is the text by which Pulumi tells that a value is not known yet"
)
