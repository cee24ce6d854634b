package ${package};

import java.util.ArrayList;
import java.util.List;

import io.fabric8.kubernetes.api.model.Condition;

/** What became of it. */
public class ${kind}Status {

	public List<Condition> conditions = new ArrayList<>();

}
