import Conventions
import Foundation
import TestSupport
import Testing

/// One fact about a name, from `Fixtures/naming.json`.
struct NamingFact: Decodable, Sendable, CustomTestStringConvertible {
    let conventions: [[String]]
    let json: String
    let swift: String
    let direction: String

    var testDescription: String {
        "\(json) \(direction) \(swift), \(conventions.count) conventions"
    }

    var mapping: AttributeMapping {
        let pairs = conventions.map { NamingConvention(json: $0[1], swift: $0[0]) }
        return AttributeMapping(NamingConventions(pairs))
    }

    static let all: [NamingFact] = {
        (try? JSONDecoder().decode(
            [NamingFact].self, from: Data(contentsOf: ProjectFolder.test("ConventionsTests/Fixtures/naming.json"))))
            ?? []
    }()
}

@Suite struct NamingVectorTests {
    @Test func `There are at least 60 naming facts`() {
        #expect(NamingFact.all.count >= 60)
    }

    @Test(arguments: NamingFact.all)
    func `Each naming fact holds in its directions`(_ fact: NamingFact) {
        if fact.direction != "inbound" {
            #expect(fact.mapping.jsonName(forSwiftName: fact.swift).name == fact.json)
        }
        if fact.direction != "outbound" {
            #expect(fact.mapping.swiftName(forJSONName: fact.json).name == fact.swift)
        }
    }

    /// A name that is mapped in one direction only still finds its property.
    @Test(arguments: NamingFact.all.filter { $0.direction == "inbound" })
    func `A property is found by the JSON name of each naming fact`(_ fact: NamingFact) throws {
        let names = try AttributeNames(of: "Model", [DeclaredName(fact.swift)], mapping: fact.mapping)
        #expect(names.inbound.match(fact.json)?.property == 0)
    }
}
