extension Shapes {
    func path(of label: Label, in repository: Repository) -> String {
        "\(path(of: repository))/labels/\(PercentEncoding.encoded(label.name))"
    }

    func label(_ label: Label, in repository: Repository) -> JSON {
        .object { json in
            json.put("id", label.id)
            json.put("node_id", Shapes.nodeID("Label", label.id))
            json.put("url", api(path(of: label, in: repository)))
            json.put("name", label.name)
            json.put("color", label.color)
            json.put("default", label.isDefault)
            json.put("description", label.description)
        }
    }
}
