"""Tables that one machine cannot hold, evaluated by Spark where they are."""
