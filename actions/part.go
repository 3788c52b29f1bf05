package actions

// Part is a piece of a path template: text of the author's, or a value.
type Part struct {
	Text    string
	Literal bool
}
