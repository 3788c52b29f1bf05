package spec

// File is an asset or an archive that a user's program passes as an input. Exactly
// one of Text, Path, URI and Members is set. None is set if only the hash is known,
// as in recorded state, whose contents the host elides.
type File struct {
	Archive bool
	Text    *string
	Path    string
	URI     string
	// Members are the assets and archives in an archive, by name.
	Members map[string]*File
	// Hash is the SHA-256 of the contents in hexadecimal, or "" if it is not known.
	Hash string
}
