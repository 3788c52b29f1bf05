// Package reserved defines the keys and texts that hosts reserve. In a value from
// outside they would be interpreted: an object with a signature key becomes an asset
// (a local file or a URL), a secret, a resource or an output, and a marker becomes an
// unknown value.
package reserved

import "github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"

// Unknown is the marker by which Pulumi's engine represents unknown values. Its
// protocol defines a marker for each type; in practice the engine sends the one for
// strings.
const Unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

// Key reports whether a member must not have a name: the signature key, or, to be
// safe, a marker.
func Key(name string) bool { return name == sig.Key || Text(name) }

// Text reports whether a text is one of the markers of unknown values in the SDK's
// common/resource/plugin/rpc.go.
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

// Reasons for messages why a key or a text cannot be recorded.
const (
	KeyReason  = "it has a member with a reserved name (" + sig.Key + ", or a marker of unknown values), by which Pulumi recognizes assets, secrets and resources"
	TextReason = "it is the text that Pulumi uses for unknown values"
)
