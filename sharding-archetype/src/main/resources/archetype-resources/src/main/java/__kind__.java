package ${package};

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;

/** The custom resource. The build makes a CustomResourceDefinition of this class. */
@Group("${apiGroup}")
@Version("v1")
@Plural("${plural}")
@AdditionalPrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
public class ${kind} extends CustomResource<${kind}Spec, ${kind}Status> implements Namespaced {

}
