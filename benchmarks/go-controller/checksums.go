package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// checksums keeps the ConfigMap of a Secret right: one create, or one update where it
// differs. With a stamp, it also says which version of the Secret was reconciled, and by
// whom, as the example-app does.
type checksums struct {
	client client.Client
	stamp  bool
	shard  string
}

func (c *checksums) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	secret := &corev1.Secret{}
	if err := c.client.Get(ctx, request.NamespacedName, secret); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	data := make(map[string]string, len(secret.Data))
	for key, value := range secret.Data {
		sum := sha256.Sum256(value)
		data[key] = hex.EncodeToString(sum[:])
	}
	stamps := map[string]string{}
	if c.stamp {
		stamps["checksums.example/secret-version"] = secret.ResourceVersion
		stamps["checksums.example/shard"] = c.shard
	}
	configMap := &corev1.ConfigMap{}
	name := types.NamespacedName{Namespace: secret.Namespace, Name: "checksums-" + secret.Name}
	err := c.client.Get(ctx, name, configMap)
	if err == nil {
		owned := metav1.IsControlledBy(configMap, secret)
		if owned && maps.Equal(configMap.Data, data) && includes(configMap.Annotations, stamps) {
			return ctrl.Result{}, nil
		}
		configMap.Data = data
		for key, value := range stamps {
			metav1.SetMetaDataAnnotation(&configMap.ObjectMeta, key, value)
		}
		if !owned {
			// That of a Secret of the same name that is gone.
			configMap.OwnerReferences = nil
			if err := controllerutil.SetControllerReference(secret, configMap, c.client.Scheme()); err != nil {
				return ctrl.Result{}, err
			}
		}
		return ctrl.Result{}, c.client.Update(ctx, configMap)
	}
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	configMap.ObjectMeta = metav1.ObjectMeta{
		Namespace:   name.Namespace,
		Name:        name.Name,
		Labels:      map[string]string{"secret": secret.Name},
		Annotations: stamps,
	}
	configMap.Data = data
	if err := controllerutil.SetControllerReference(secret, configMap, c.client.Scheme()); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, c.client.Create(ctx, configMap)
}

func includes(all, some map[string]string) bool {
	for key, value := range some {
		if all[key] != value {
			return false
		}
	}
	return true
}
