import Conventions

/// A model has the API that it names, or else the first one; an embedded model that of its owners.
struct APIAssignment {
    /// Each table's API.
    private(set) var apis: [APIIndex]

    init(_ families: [ModelFamily], _ styles: SchemaStyles, problems: inout [String]) {
        var known: [APIIndex?] = families.map { family in
            let options = family.description.options
            switch styles.index(of: options.api) {
            case .success(let api): return options.embedded && options.api == nil ? nil : api
            case .failure(let mistake):
                problems.append(mistake.text(of: family.description.name))
                return .main
            }
        }
        let owners = Self.owners(of: families)
        // Embedded models may be nested.
        var isSettled = false
        while !isSettled {
            isSettled = true
            for table in families.indices where known[table] == nil {
                guard let owner = owners[table].first(where: { known[$0] != nil }) else { continue }
                known[table] = known[owner]
                isSettled = false
            }
        }
        apis = known.map { $0 ?? .main }
        for (table, family) in families.enumerated() where family.description.options.embedded {
            let others = owners[table].filter { apis[$0] != apis[table] }
            guard family.description.options.api == nil, !others.isEmpty else { continue }
            let names = owners[table].map { families[$0].description.name }.joined(separator: ", ")
            problems.append(
                "\(family.description.name) is embedded in models of several APIs (\(names)): name the one that decides how "
                    + "it is written, as in @Model(api: \"…\", embedded: true), or declare a class for each")
        }
    }

    /// Each table's owners.
    private static func owners(of families: [ModelFamily]) -> [[Int]] {
        let tables = Dictionary(
            families.enumerated().flatMap { table, family in
                family.classes.map { (ObjectIdentifier($0.type), table) }
            }, uniquingKeysWith: { first, _ in first })
        var owners = families.map { _ in [Int]() }
        for (owner, family) in families.enumerated() {
            for property in family.description.properties {
                guard let type = property.target, let table = tables[ObjectIdentifier(type)], table != owner,
                    !owners[table].contains(owner)
                else { continue }
                owners[table].append(owner)
            }
        }
        return owners
    }
}
