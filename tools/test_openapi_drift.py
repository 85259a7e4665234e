"""Tests of `openapi_drift.py`: every kind of break is found, and what breaks nobody is let through."""

import copy
import json
import unittest

from openapi_drift import DOCUMENT, ROOT, breaks, is_new_version

OLD = {
    "info": {"version": "0.1.0"},
    "paths": {
        "/v1/things": {
            "post": {
                "operationId": "make",
                "security": [{"key": ["memory:write"]}],
                "parameters": [{"name": "limit", "in": "query", "required": False, "schema": {"type": "integer", "maximum": 10}}],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["text"],
                                "properties": {
                                    "text": {"type": "string", "maxLength": 100},
                                    "kind": {"$ref": "#/components/schemas/Kind"},
                                    "tags": {"type": ["array", "null"], "items": {"type": "string"}},
                                },
                            }
                        }
                    },
                },
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}},
            }
        },
        "/v1/others": {"get": {"operationId": "others", "responses": {"200": {}, "304": {}}}},
    },
    "components": {
        "schemas": {
            "Kind": {"oneOf": [{"const": "fact", "type": "string"}, {"const": "note", "type": "string"}]},
            "Thing": {
                "type": "object",
                "required": ["id", "parts"],
                "properties": {
                    "id": {"type": "string"},
                    "more": {"type": "integer"},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
                },
            },
        }
    },
}


class Drift(unittest.TestCase):
    def changed(self, change):
        new = copy.deepcopy(OLD)
        make = new["paths"]["/v1/things"]["post"]
        body = make["requestBody"]["content"]["application/json"]["schema"]
        change(new, make, body, new["components"]["schemas"])
        return breaks(OLD, new)

    def test_each_break_is_found_once(self):
        def check(expected, change):
            found = self.changed(change)
            self.assertEqual(len(found), 1, found)
            self.assertIn(expected, found[0])

        check("GET /v1/others: is gone", lambda new, make, body, schemas: new["paths"].pop("/v1/others"))
        check("now called", lambda new, make, body, schemas: make.update(operationId="create"))
        check("needs", lambda new, make, body, schemas: make.update(security=[{"key": ["memory:admin"]}]))
        check("`limit` is gone", lambda new, make, body, schemas: make["parameters"].pop())
        check("`limit` is newly needed", lambda new, make, body, schemas: make["parameters"][0].update(required=True))
        check("`maximum` is 5", lambda new, make, body, schemas: make["parameters"][0]["schema"].update(maximum=5))
        check("field `tags` is gone", lambda new, make, body, schemas: body["properties"].pop("tags"))
        check("field `tags` is newly needed", lambda new, make, body, schemas: body["required"].append("tags"))
        check("takes no null", lambda new, make, body, schemas: body["properties"]["tags"].update(type="array"))
        check("takes no string", lambda new, make, body, schemas: body["properties"]["tags"].update(items={"type": "integer"}))
        check("must be written as", lambda new, make, body, schemas: body["properties"]["text"].update(pattern="^a$"))
        check("`minLength` is 1", lambda new, make, body, schemas: body["properties"]["text"].update(minLength=1))
        check("does not take \"note\"", lambda new, make, body, schemas: schemas["Kind"]["oneOf"].pop())
        check("field `more` is gone", lambda new, make, body, schemas: schemas["Thing"]["properties"].pop("more"))
        check("field `id` may newly be absent", lambda new, make, body, schemas: schemas["Thing"]["required"].remove("id"))
        check("may newly be null", lambda new, make, body, schemas: schemas["Thing"]["properties"]["id"].update(type=["string", "null"]))
        check("does not answer 200", lambda new, make, body, schemas: make["responses"].clear())

    def test_additions_break_nobody(self):
        def add(new, make, body, schemas):
            new["paths"]["/v1/new"] = {"get": {"operationId": "new", "responses": {}}}
            make["parameters"].append({"name": "since", "in": "query", "required": False, "schema": {"type": "string"}})
            make["parameters"][0]["schema"]["maximum"] = 20
            body["properties"]["title"] = {"type": "string"}
            body["properties"]["text"]["maxLength"] = 200
            body["required"].clear()
            schemas["Kind"]["oneOf"].append({"const": "page", "type": "string"})
            schemas["Thing"]["properties"]["size"] = {"type": "integer"}
            schemas["Thing"]["required"].append("more")
            del new["paths"]["/v1/others"]["get"]["responses"]["304"]

        self.assertEqual(self.changed(add), [])

    def test_only_a_new_version_may_break(self):
        version = lambda number: {"info": {"version": number}}
        self.assertTrue(is_new_version(version("0.1.9"), version("0.2.0")))
        self.assertFalse(is_new_version(version("0.1.0"), version("0.1.1")))

    def test_the_document_of_the_checkout_can_be_compared(self):
        document = json.loads((ROOT / DOCUMENT).read_text())
        self.assertEqual(breaks(document, document), [])
        without = copy.deepcopy(document)
        del without["components"]["schemas"]["Item"]["properties"]["dispute"]
        self.assertTrue(any("`dispute` is gone" in one for one in breaks(document, without)))


if __name__ == "__main__":
    unittest.main()
