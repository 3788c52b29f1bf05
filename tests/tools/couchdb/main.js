// Serves CouchDB's API on a port of loopback: node main.js PORT FOLDER
const [port, folder] = process.argv.slice(2)
const PouchDB = require('pouchdb-core')
  .plugin(require('pouchdb-adapter-memory'))
  .plugin(require('pouchdb-mapreduce'))
  .defaults({adapter: 'memory'})
require('express-pouchdb')(PouchDB, {inMemoryConfig: true, logPath: folder + '/couchdb.log', mode: 'minimumForPouchDB'})
  .listen(Number(port), '127.0.0.1')
