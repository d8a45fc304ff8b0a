extension WireFormat {
    /// What an attribute declares of its JSON, else what the API does, and what is wrong with it.
    static func compile(
        _ property: PropertyDescription, _ kind: AttributeKind, _ options: AttributeOptions, _ values: ValueFormats
    ) -> (format: WireFormat, problems: [String]) {
        var format = WireFormat()
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
    /// What is declared of the JSON, for explanations.
    package var wireNotes: [String] {
        if format.transformer != nil { return ["through a transformer"] }
        return format.dates.isDeclared ? ["date format: \(format.dates.format)"] : []
    }
}
