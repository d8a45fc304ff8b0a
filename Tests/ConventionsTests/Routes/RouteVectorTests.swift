import Conventions
import Testing

@Suite struct RouteVectorTests {
    @Test func `There are at least 18, 2 and 4 route facts of the three kinds`() {
        #expect(RouteFacts.all.expand.count >= 18)
        #expect(RouteFacts.all.crud.count >= 2)
        #expect(RouteFacts.all.relationship.count >= 4)
    }

    @Test(arguments: RouteFacts.all.expand)
    func `A template expands with known values as its fact says`(_ fact: RouteFacts.Expansion) {
        let values = fact.values.mapValues(\.value)
        let result = Result { () throws(RouteTemplateError) in try RouteTemplate(fact.template).expand(values) }
        switch result {
        case .success(let url): #expect(url == fact.url)
        case .failure(let error): #expect(error.kind == fact.error)
        }
    }

    /// The same facts where the values are found by asking, and nothing is known beforehand.
    @Test(arguments: RouteFacts.all.expand)
    func `A template expands with values from a closure as its fact says`(_ fact: RouteFacts.Expansion) throws {
        do {
            let url = try RouteTemplate(fact.template).expand { fact.values[$0.name]?.value }
            #expect(url == fact.url)
        } catch let error as RouteTemplateError {
            #expect(error.kind == fact.error)
        }
    }

    @Test(arguments: RouteFacts.all.crud)
    func `A base has the URLs of its list and of one object`(_ fact: RouteFacts.CRUD) throws {
        let base = try RouteTemplate(fact.base)
        let one = base.appending(key: fact.key)
        var values = (fact.with ?? [:]).mapValues { RouteValue($0) }
        let list = try base.expand(values)
        values[fact.key] = RouteValue(fact.value)
        let object = try one.expand(values)
        #expect([fact.index, fact.create] == ["GET \(list)", "POST \(list)"])
        #expect([fact.fetch, fact.save, fact.delete] == ["GET \(object)", "PATCH \(object)", "DELETE \(object)"])
    }

    @Test(arguments: RouteFacts.all.relationship)
    func `A relationship has its URLs for fetching, adding and removing`(_ fact: RouteFacts.Relationship) throws {
        let template =
            if let registered = fact.registered {
                try RouteTemplate(registered)
            } else {
                try #require(
                    try RouteTemplate(fact.destinationBase ?? "").derivedForRelationship(inverse: fact.inverse ?? ""))
            }
        let list = try template.expand(fact.owner.mapValues(\.value))
        if let fetch = fact.fetch { #expect(fetch == "GET \(list)") }
        if let add = fact.add { #expect(add == "POST \(list)") }
        guard let delete = fact.delete, let last = delete.split(separator: "/").last else { return }
        let object = try template.appending(key: "destination").expand { placeholder in
            placeholder.name == "destination" ? RouteValue(last) : fact.owner[placeholder.name]?.value
        }
        #expect(delete == "DELETE \(object)")
    }
}
