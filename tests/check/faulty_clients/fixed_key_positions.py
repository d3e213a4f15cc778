"""Takes the fields of a map by their position: the first, the second, the third."""

from correct_client import FIELD, Client

ORDER = {"PLAYERTOMOVE": 0, "GAMETYPE": 1, "OPPONENT": 2, "PLAYER": 0, "MOVE": 1, "DETAILS": 2, "CHALLENGENUMBER": 1}


class FixedKeyPositions(Client):
    def fields(self, text):
        values = [value for _, value in FIELD.findall(text)]
        return {key: values[at] for key, at in ORDER.items() if at < len(values)}


FixedKeyPositions.main()
