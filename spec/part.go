package spec

// Part is a piece of an evaluated template: text of the author's, or a value.
type Part struct {
	Text    string
	Literal bool
}
