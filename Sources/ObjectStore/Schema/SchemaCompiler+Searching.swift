extension Property {
    var isSearchable: Bool {
        if case .attribute(_, _, let options) = kind { options.searchable } else { false }
    }
}

extension SchemaCompiler {
    /// Only text can be searched. Write-only values must leave the file without a trace.
    mutating func checkSearchable(_ properties: [Property], of family: ModelFamily) {
        for property in properties where property.isSearchable {
            guard case .attribute(let kind, _, let options) = property.kind else { continue }
            let declarer = family.classes[family.declarers[property.index.rawValue][0].rawValue].name
            let name = "\(declarer).\(property.name)"
            let isText = if case .text = kind { true } else { false }
            if !isText {
                problems.append(
                    "\(name) is searchable, and its value is \(kind.expectation): only text can be searched; leave out "
                        + "`searchable:`")
            }
            if options.access == .writeOnly {
                problems.append(
                    "\(name) is searchable, and write-only: its words would stay readable in the file; leave out "
                        + "`searchable:`")
            }
        }
    }
}
