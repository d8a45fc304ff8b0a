extension ModelSchema {
    /// Lists directly in the object, by their keys' letters.
    var plainLists: [(letters: String, list: PropertyIndex)] {
        declared.compactMap { property in
            guard property.list != nil, property.jsonPath.count == 1 else { return nil }
            return (PageSigns.letters(of: property.jsonPath[0]), property.index)
        }
    }

    /// Attributes with a list's total, such as `comments_count`.
    var listCounts: [(list: PropertyIndex, column: ColumnIndex)] {
        let lists = declared.filter { $0.list != nil }
        guard !lists.isEmpty else { return [] }
        return columns.flatMap { column -> [(list: PropertyIndex, column: ColumnIndex)] in
            guard column.type == .integer, column.target == nil else { return [] }
            return lists.filter { self[column.property].isCount(of: $0) }.map { ($0.index, column.index) }
        }
    }

    /// Whether both lists are in the same inner JSON object, or are one list.
    func isAround(_ list: PropertyIndex, what other: PropertyIndex) -> Bool {
        if list == other { return true }
        let (path, otherPath) = (self[list].documentPath.dropLast(), self[other].documentPath.dropLast())
        guard !path.isEmpty, !otherPath.isEmpty else { return false }
        return path.starts(with: otherPath) || otherPath.starts(with: path)
    }
}

extension Property {
    /// Whether the property stands next to the list, named as its total.
    fileprivate func isCount(of list: Property) -> Bool {
        guard let name = jsonPath.last, let listName = list.jsonPath.last,
            jsonPath.dropLast() == list.jsonPath.dropLast()
        else { return false }
        return PageSigns.key(name, besideListNamed: PageSigns.letters(of: listName)) == .total
    }
}
