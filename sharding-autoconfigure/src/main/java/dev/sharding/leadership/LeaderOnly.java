package dev.sharding.leadership;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Has a method run in the elected replica only, such as one with {@code @Scheduled}:
 * elsewhere a call returns at once and does nothing. The call is
 * {@linkplain LeaderElection#begin() work of the leader}. As with {@code @Async}, calls
 * pass a proxy of the bean, so the method is neither private, static nor final, and a
 * call from within its own bean is not seen. It returns nothing. With
 * {@code sharding.leader-election.enabled=false} it runs everywhere.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {

}
