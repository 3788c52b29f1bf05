package spec

import "github.com/declprov/declprov/spec/diag"

// Rest is the shorthand `rest` of a resource, as its author wrote it. The loader
// expands it into operations, so only the loader sees it.
type Rest struct {
	// Path is the path of the collection, and Object that of an object, if it does not follow.
	Path, Object *Node
	// Singleton is true if there is one object, whose path is Path.
	Singleton bool
	// Reset has the members that a delete sends for a singleton, by their names on the wire.
	Reset *Node
	// Create, Read, Update, Delete, Find and List are each a word, a method, or a method and a path.
	Create, Read, Update, Delete, Find, List *Node
	// ID, Wrap, Unwrap and Items are paths of names on the wire. If the program chooses the names of
	// objects, ID is a template over inputs.
	ID, Wrap, Unwrap, Items *Node
	// Query has the members of the query of each request.
	Query *Node
	// Body has further members of the bodies of creates and updates.
	Body *Node
	// Parent is the path of the object that contains the collection, which is requested before
	// an object in it is read or deleted.
	Parent *Node
	// Patch is the format of the bodies of updates.
	Patch *Node
	// Form is true if the bodies of requests are forms, or the rule by which they write lists and maps.
	Form *Node
	// Omit has the paths on the wire of members of an object that was read which are not sent.
	Omit *Node
	// Gone is true for the response to a request for an object that does not exist.
	Gone *Node
	// Response is "none" if the response to the create does not contain the object.
	Response *Node
	// Wait says how the end of what a request has started is recognized.
	Wait *Node
	// Returns is the type of one object.
	Returns *Node
	// IfMatch is passed on to updates and deletes.
	IfMatch *Node
	// IfNoneMatch, IdempotencyKey, Idempotent and Paginate are passed on to the requests.
	IfNoneMatch, IdempotencyKey, Idempotent, Paginate *Node
	// Unique lists the inputs that identify an object in the list.
	Unique *Node
	// Under holds the templates for the parents that the path names.
	Under *Node
	// Without has the edits that remove a key, by its name, if they are known.
	Without map[string][]diag.Edit
	// Range is the position of the shorthand.
	Range diag.Range
}
