import JSONBytes

extension WireFormat {
    /// What an attribute declares of its JSON, else what the API does, and what is wrong with it.
    static func compile(
        _ property: PropertyDescription, for values: ValueFormats
    ) -> (format: WireFormat, problems: [String]) {
        var format = WireFormat()
        guard case .attribute(let kind, _, let options) = property.kind else { return (format, []) }
        var problems: [String] = []
        if let declared = options.format {
            if !kind.hasDates {
                let type = property.binding?.type ?? "no date"
                problems.append("declares the date format \(declared), but is \(type)")
            }
            if let problem = declared.problem { problems.append("declares a date format that is no use: \(problem)") }
        }
        let dates = options.format ?? values.dates
        if kind.hasDates, dates != .automatic, dates.problem == nil { format.dates = DateCoder(dates) }
        if let transformer = options.transformer {
            format.transformer = property.binding?.bind(transformer)
            if format.transformer == nil {
                let types = (transformer.valueName, property.binding?.type ?? "of another type")
                problems.append("declares a transformer of \(types.0), but is \(types.1)")
            }
        } else if options.format == nil {
            format.transformer = values.transformers.lazy.compactMap { property.binding?.bind($0) }.first
        }
        return (format, problems)
    }
}

extension DateFormat {
    /// What is wrong with a pattern.
    var problem: String? {
        guard case .pattern(let pattern, let zone) = form else { return nil }
        return PatternFormatter.problem(of: pattern, zone).map { "\"\(pattern)\": \($0)" }
    }
}

extension Property {
    /// A value in JSON, in the shape in which one last came where no format is declared.
    package func wireText(of value: StoredValue, _ shape: WireShape) throws(UnsendableValue) -> WireText {
        guard case .attribute(let kind, _, _) = self.kind else { return .null }
        guard let transformer = format.transformer, !value.isNull else {
            return try WireText(value, kind, shape: shape, dates: format.dates)
        }
        guard let text = transformer.write(value)?.text else {
            throw UnsendableValue(value: "a value for which its transformer has no JSON")
        }
        return .raw(text)
    }

    /// Reads the next JSON value, which is not null: the form in which it is stored, or `nil` for a mismatch.
    func slot(_ reader: inout JSONReader, _ memory: inout ImportMemory) throws(JSONError) -> ImportSlot? {
        guard case .attribute(let kind, _, _) = self.kind else { return nil }
        guard let transformer = format.transformer else { return try kind.slot(&reader, dates: format.dates, &memory) }
        return transformer.read(try JSONValue(&reader)).map { memory.slot($0) }
    }

    /// What an import expects to find, for its report.
    var expectation: String {
        guard case .attribute(let kind, _, _) = self.kind else { return "a relationship" }
        if format.transformer != nil { return "what the attribute's transformer takes" }
        if format.dates.isDeclared, case .date = kind { return "a date (\(format.dates.format))" }
        return kind.expectation
    }

    /// What is declared of the JSON, for explanations.
    package var wireNotes: [String] {
        if format.transformer != nil { return ["through a transformer"] }
        return format.dates.isDeclared ? ["date format: \(format.dates.format)"] : []
    }
}

extension ImportColumn {
    /// How a property's column is read.
    init(_ property: Property) {
        if case .attribute(let kind, _, let options) = property.kind {
            self.init(kind, isIgnored: options.access == .writeOnly, isDeclared: property.format.isDeclared)
        } else {
            self.init(code: .link, isWhole: false, isIgnored: false)
        }
    }
}
