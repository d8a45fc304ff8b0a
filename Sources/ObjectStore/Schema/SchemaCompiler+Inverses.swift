import Conventions

// The other direction of each relationship, and where a list is kept.

extension SchemaCompiler {
    mutating func inverse(of property: PropertyDescription, _ inverse: Inverse, _ index: Int) -> Int? {
        guard let type = property.destination, let target = self.index(of: type) else { return nil }
        let other = descriptions[target]
        switch inverse {
        case .none: return nil
        case .named(let name):
            guard let partner = other.properties.first(where: { $0.name == name }) else {
                let near = nearestName(to: name, among: other.properties.map(\.name))
                problems.append(
                    "\(self.name(of: property, index)) names the inverse \"\(name)\", which "
                        + "\(other.name) does not have" + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
                return nil
            }
            guard target != index || partner.index != property.index else {
                problems.append(
                    "\(other.name).\(name) names itself as its inverse; leave it out with `inverse: nil`, or declare the "
                        + "other direction")
                return nil
            }
            guard let back = partner.destination, self.index(of: back) == index else {
                problems.append(
                    "\(self.name(of: property, index)) names the inverse \"\(name)\", but "
                        + "\(other.name).\(name) does not lead back to \(descriptions[index].name)")
                return nil
            }
            guard covers(property, index, partner, target) else {
                problems.append(
                    "\(self.name(of: property, index)) and \(self.name(of: partner, target)) can't be each other's "
                        + "inverse, as one of them leads to some only of the models that declare the other; declare "
                        + "both in the model that the others inherit from, or leave it out with `inverse: nil`")
                return nil
            }
            return partner.index
        case .inferred:
            if let named = other.properties.first(where: { isInverse($0, named: property, of: index, from: target) }) {
                return named.index
            }
            return inferredInverse(of: property, index, target)
        }
    }

    /// Whether the other side's relationship names this one as its inverse.
    private func isInverse(
        _ candidate: PropertyDescription, named property: PropertyDescription, of index: Int, from target: Int
    ) -> Bool {
        guard let type = candidate.destination, self.index(of: type) == index,
            case .named(property.name) = candidate.inverse, covers(property, index, candidate, target)
        else { return false }
        return !(target == index && candidate.index == property.index)
    }

    /// The one relationship that leads back, if this is the only one that leads there and neither says otherwise.
    private func inferredInverse(of property: PropertyDescription, _ index: Int, _ target: Int) -> Int? {
        guard index != target else { return nil }
        let there = descriptions[index].properties.filter { leads($0, to: target) && $0.inverse == .inferred }
        let back = descriptions[target].properties.filter { leads($0, to: index) && $0.inverse == .inferred }
        guard there.count == 1, back.count == 1, there[0].index == property.index,
            covers(property, index, back[0], target)
        else { return nil }
        return back[0].index
    }

    /// Whether each of two relationships leads to every model that declares the other: else what it says of the whole other
    /// side would be said of what it can't see.
    private func covers(
        _ property: PropertyDescription, _ index: Int, _ partner: PropertyDescription, _ target: Int
    ) -> Bool {
        leads(property, toDeclarersOf: partner, target) && leads(partner, toDeclarersOf: property, index)
    }

    private func leads(
        _ property: PropertyDescription, toDeclarersOf partner: PropertyDescription, _ target: Int
    ) -> Bool {
        let number = property.destination.map(number(of:)) ?? 0
        return number == 0 || families[target].declarers[partner.index] == [number]
    }

    /// `PushEvent.repository`.
    func name(of property: PropertyDescription, _ index: Int) -> String {
        "\(families[index].declarer(of: property.index)).\(property.name)"
    }

    private func leads(_ property: PropertyDescription, to target: Int) -> Bool {
        property.destination.flatMap(index(of:)) == target
    }

    func storage(
        of property: PropertyDescription, _ index: Int, _ target: Int, _ inverse: Int?
    ) -> List.Storage {
        let own = Self.tableName(of: descriptions[index])
        let name = AttributeMapping.columnName(forPropertyNamed: property.name).name
        guard let inverse else {
            return .join(
                JoinTable(name: "\(own)_\(name)", source: index, target: target, isTwoSided: false), isReversed: false)
        }
        let partner = descriptions[target].properties[inverse]
        let partnerName = AttributeMapping.columnName(forPropertyNamed: partner.name).name
        guard case .toMany = partner.kind else {
            return .column(
                property: inverse, column: partnerName + "_id", position: "_\(partnerName)_position")
        }
        // The side that is declared first makes the table.
        let isReversed = (target, inverse) < (index, property.index)
        let source = isReversed ? Self.tableName(of: descriptions[target]) + "_" + partnerName : "\(own)_\(name)"
        return .join(
            JoinTable(
                name: source, source: isReversed ? target : index, target: isReversed ? index : target,
                isTwoSided: true),
            isReversed: isReversed)
    }
}
