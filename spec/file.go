package spec

// File is an asset or an archive that a user hands over: exactly one of Text,
// Path, URI and Members is set, or none of them where only the hash is known
// (the host elides contents of recorded state).
type File struct {
	Archive bool
	Text    *string
	Path    string
	URI     string
	// Members are an archive's assets and archives, by name.
	Members map[string]*File
	// Hash is the SHA-256 of the contents in hex, "" where unknown.
	Hash string
}
