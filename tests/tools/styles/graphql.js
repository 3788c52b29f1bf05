// Pets, by GraphQL.
const {buildSchema, GraphQLError} = require('graphql')
const {createHandler} = require('graphql-http/lib/use/http')

const schema = buildSchema(`
  input NewPet { name: String!, age: Int!, tags: [String!] }
  type Pet { id: ID!, name: String!, age: Int!, tags: [String!]!, chip: String }
  type Page { pets: [Pet!]!, next: ID }
  type Query {
    pet(id: ID!): Pet
    pets(after: ID, size: Int = 2): Page!
  }
  type Mutation {
    addPet(pet: NewPet!): Pet!
    setPet(id: ID!, age: Int!, tags: [String!]): Pet
    removePet(id: ID!): ID
  }
`)

const pets = new Map()
let last = 0

const fail = (code, text) => new GraphQLError(text, {extensions: {code}})
const found = id => {
  if (!pets.has(id)) throw fail('NOT_FOUND', `there is no pet ${id}`)
  return pets.get(id)
}

const rootValue = {
  pet: ({id}) => found(id),
  pets: ({after, size}) => {
    const rest = [...pets.values()].filter(pet => Number(pet.id) > Number(after ?? 0))
    return {pets: rest.slice(0, size), next: rest.length > size ? rest[size - 1].id : null}
  },
  addPet: ({pet}) => {
    if ([...pets.values()].some(other => other.name === pet.name)) throw fail('TAKEN', `there is a pet ${pet.name}`)
    const made = {tags: [], ...pet, id: String(++last), chip: `chip-${last}`}
    pets.set(made.id, made)
    return made
  },
  setPet: ({id, age, tags}) => Object.assign(found(id), {age, tags: tags ?? []}),
  removePet: ({id}) => {
    found(id)
    pets.delete(id)
    return id
  },
}

module.exports = {handler: createHandler({schema, rootValue}), all: () => [...pets.values()]}
