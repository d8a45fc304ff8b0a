import Conventions

// The other direction of each relationship, and where a list is kept.

extension SchemaCompiler {
    /// The property of the target that is a relationship's other direction; `nil` when there is none.
    mutating func inverse(of declared: Declared, as inverse: Inverse) -> PropertyIndex? {
        guard let type = declared.property.destination, let target = table(of: type) else { return nil }
        switch inverse {
        case .none: return nil
        case .named(let name): return namedInverse(name, of: declared, in: target)
        case .inferred:
            let others = description(of: target).properties.map { Declared(property: $0, table: target) }
            if let named = others.first(where: { isInverse($0, named: declared) }) { return named.index }
            return inferredInverse(of: declared, in: target)
        }
    }

    private mutating func namedInverse(
        _ name: String, of declared: Declared, in target: TableID
    ) -> PropertyIndex? {
        let other = description(of: target)
        guard let found = other.properties.first(where: { $0.name == name }) else {
            let near = nearestName(to: name, among: other.properties.map(\.name))
            problems.append(
                "\(self.name(of: declared)) names the inverse \"\(name)\", which "
                    + "\(other.name) does not have" + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
            return nil
        }
        let partner = Declared(property: found, table: target)
        guard target != declared.table || partner.index != declared.index else {
            problems.append(
                "\(other.name).\(name) names itself as its inverse; leave it out with `inverse: nil`, or declare the "
                    + "other direction")
            return nil
        }
        guard let back = found.destination, table(of: back) == declared.table else {
            problems.append(
                "\(self.name(of: declared)) names the inverse \"\(name)\", but "
                    + "\(other.name).\(name) does not lead back to \(description(of: declared.table).name)")
            return nil
        }
        guard covers(declared, partner) else {
            problems.append(
                "\(self.name(of: declared)) and \(self.name(of: partner)) can't be each other's "
                    + "inverse, as one of them leads to some only of the models that declare the other; declare "
                    + "both in the model that the others inherit from, or leave it out with `inverse: nil`")
            return nil
        }
        return partner.index
    }

    /// Whether the other side's relationship names this one as its inverse.
    private func isInverse(_ candidate: Declared, named declared: Declared) -> Bool {
        guard let type = candidate.property.destination, table(of: type) == declared.table,
            case .named(declared.property.name) = candidate.property.inverse, covers(declared, candidate)
        else { return false }
        return !(candidate.table == declared.table && candidate.index == declared.index)
    }

    /// The one relationship that leads back, if this is the only one to that model and neither declares otherwise.
    private func inferredInverse(of declared: Declared, in target: TableID) -> PropertyIndex? {
        guard declared.table != target else { return nil }
        let there = description(of: declared.table).properties.filter {
            references($0, target) && $0.inverse == .inferred
        }
        let back = description(of: target).properties.filter {
            references($0, declared.table) && $0.inverse == .inferred
        }
        guard there.count == 1, back.count == 1, there[0].index == declared.property.index,
            covers(declared, Declared(property: back[0], table: target))
        else { return nil }
        return PropertyIndex(back[0].index)
    }

    /// Whether each of two relationships references every model that declares the other: else what one says of the whole
    /// other side would include what it can't see.
    private func covers(_ declared: Declared, _ partner: Declared) -> Bool {
        coversDeclarers(of: partner, declared) && coversDeclarers(of: declared, partner)
    }

    private func coversDeclarers(of partner: Declared, _ declared: Declared) -> Bool {
        let submodel = declared.property.destination.map(submodel(of:)) ?? .root
        return submodel.isRoot || family(of: partner.table).declarers[partner.property.index] == [submodel]
    }

    /// `PushEvent.repository`.
    func name(of declared: Declared) -> String {
        "\(family(of: declared.table).declarer(of: declared.index)).\(declared.property.name)"
    }

    private func references(_ property: PropertyDescription, _ target: TableID) -> Bool {
        property.destination.flatMap(table(of:)) == target
    }

    /// Where the members of a list are kept.
    func storage(of declared: Declared, target: TableID, inverse: PropertyIndex?) -> List.Storage {
        let own = Self.tableName(of: description(of: declared.table))
        let name = AttributeMapping.columnName(forPropertyNamed: declared.property.name).name
        guard let inverse else {
            return .join(
                JoinTable(name: "\(own)_\(name)", source: declared.table, target: target, isTwoSided: false),
                isReversed: false)
        }
        let partner = description(of: target).properties[inverse.rawValue]
        let partnerName = AttributeMapping.columnName(forPropertyNamed: partner.name).name
        guard case .toMany = partner.kind else {
            return .column(property: inverse, column: partnerName + "_id", position: "_\(partnerName)_position")
        }
        // The side that is declared first makes the table.
        let isReversed = (target, inverse) < (declared.table, declared.index)
        let source = isReversed ? Self.tableName(of: description(of: target)) + "_" + partnerName : "\(own)_\(name)"
        return .join(
            JoinTable(
                name: source, source: isReversed ? target : declared.table,
                target: isReversed ? declared.table : target, isTwoSided: true),
            isReversed: isReversed)
    }
}
