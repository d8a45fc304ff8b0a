struct LabelBody: JSONWritable {
    let id: Int
    let name: String
    let color: String
    let isDefault: Bool
    let summary: String?

    init(_ number: Int, _ chance: inout Chance) {
        id = 6_100_200_300 + number * 41
        name = "\(Text.words(1...2, &chance)) \(number)"
        let digits = String(chance.number(below: 1 << 24), radix: 16)
        color = String(repeating: "0", count: 6 - digits.count) + digits
        isDefault = number < 9
        summary = number % 6 == 0 ? nil : Text.words(3...8, oddPercent: 10, &chance)
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("node_id", Text.node("LA", id))
            json.member("url", "\(IssueBody.repository)/labels/" + name.split(separator: " ").joined(separator: "%20"))
            json.member("name", name)
            json.member("color", color)
            json.member("default", isDefault)
            json.member("description", summary)
        }
    }
}
